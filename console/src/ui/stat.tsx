// One figure with its name, and a note on how to read it.

import type { ReactNode } from 'react';

export function Stat({ label, value, note }: Readonly<{ label: string; value: ReactNode; note?: ReactNode }>) {
  return (
    <div className="min-w-0 rounded-xl border border-line bg-surface px-4 py-3.5 sm:px-5 sm:py-4">
      <p className="text-sm text-quiet">{label}</p>
      <p className="mt-1 text-xl font-semibold sm:text-2xl tracking-tight break-words tabular-nums">{value}</p>
      {note !== undefined && <p className="mt-0.5 text-xs text-quiet">{note}</p>}
    </div>
  );
}

/** Figures side by side: four where there is room, two on a phone. */
export function StatRow({ children }: Readonly<{ children: ReactNode }>) {
  return <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">{children}</div>;
}
