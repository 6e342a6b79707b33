// A page's frame: its title, what it is for, its main actions. It names the document too, for tabs and screen readers.

import { type ReactNode, useEffect } from 'react';

type PageProps = Readonly<{ title: string; description?: ReactNode; actions?: ReactNode; children: ReactNode }>;

export function Page({ title, description, actions, children }: PageProps) {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <div className="mx-auto grid w-full max-w-6xl grid-cols-1 gap-5 px-4 py-6 sm:py-8 lg:px-6 xl:px-8">
      <header className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <h1 className="text-2xl font-semibold tracking-tight break-words">{title}</h1>
          {description !== undefined && <p className="mt-1 max-w-2xl text-pretty text-quiet">{description}</p>}
        </div>
        {actions !== undefined && <div className="flex flex-wrap gap-2">{actions}</div>}
      </header>
      {children}
    </div>
  );
}
