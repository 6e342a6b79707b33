// What a page shows while it is empty: what would be here, and what to do to get it.

import type { ReactNode } from 'react';

type EmptyStateProps = Readonly<{ icon: ReactNode; title: string; children: ReactNode; action?: ReactNode }>;

export function EmptyState({ icon, title, children, action }: EmptyStateProps) {
  return (
    <div className="grid justify-items-center gap-2 px-6 py-12 text-center">
      <div aria-hidden="true" className="grid size-12 place-items-center rounded-full bg-accent-soft text-accent">
        {icon}
      </div>
      <h2 className="mt-1 font-semibold">{title}</h2>
      <p className="max-w-md text-sm text-quiet">{children}</p>
      {action !== undefined && <div className="mt-3">{action}</div>}
    </div>
  );
}
