// One figure with its name, and a note on how to read it.

import type { ReactNode } from 'react';

export function Stat({ label, value, note }: Readonly<{ label: string; value: ReactNode; note?: ReactNode }>) {
  return (
    <div className="min-w-0 rounded-xl border border-line bg-surface px-5 py-4">
      <p className="text-sm text-quiet">{label}</p>
      <p className="mt-1 text-2xl font-semibold tracking-tight break-words tabular-nums">{value}</p>
      {note !== undefined && <p className="mt-0.5 text-xs text-quiet">{note}</p>}
    </div>
  );
}
