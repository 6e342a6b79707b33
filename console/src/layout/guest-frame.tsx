// The frame of pages for people who are not signed in: one card in the middle, with links to other pages below.

import { type ReactNode, useEffect } from 'react';

type GuestFrameProps = Readonly<{ title: string; lead?: ReactNode; children: ReactNode; below?: ReactNode }>;

export function GuestFrame({ title, lead, children, below }: GuestFrameProps) {
  useEffect(() => {
    document.title = `${title} · Tollgate`;
  }, [title]);
  return (
    <main className="grid min-h-dvh grid-cols-[min(25rem,calc(100vw-2rem))] content-center justify-center gap-4 py-8">
      <div className="grid gap-4 rounded-2xl border border-line bg-surface p-7">
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1 className="text-xl font-semibold">{title}</h1>
        {lead !== undefined && <p className="-mt-2 text-sm text-quiet">{lead}</p>}
        {children}
      </div>
      {below !== undefined && <div className="grid justify-items-center gap-1 text-sm text-quiet">{below}</div>}
    </main>
  );
}
