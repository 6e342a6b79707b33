// One figure with its name, and a note on how to read it.

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

/** The length that fits on one line in large letters. */
const SHORT_CHARACTERS = 11;

export function Stat({ label, value, note }: Readonly<{ label: string; value: ReactNode; note?: ReactNode }>) {
  const isLong = typeof value === 'string' && value.length > SHORT_CHARACTERS;
  const size = isLong ? 'text-base sm:text-lg' : 'text-xl sm:text-2xl';
  // The box is at least as wide as its longest word, so that no sum is broken within its digits.
  return (
    <div className="max-w-full flex-1 basis-36 xl:basis-56 rounded-xl border border-line bg-surface px-4 py-3.5 sm:px-5 sm:py-4">
      <p className="text-sm text-quiet">{label}</p>
      <p className={classNames('mt-1 font-semibold tracking-tight break-words tabular-nums', size)}>{value}</p>
      {note !== undefined && <p className="mt-0.5 text-xs text-quiet">{note}</p>}
    </div>
  );
}

/** Figures side by side: four where there is room, two on a phone, and fewer where their sums are long. */
export function StatRow({ children }: Readonly<{ children: ReactNode }>) {
  return <div className="flex flex-wrap gap-3">{children}</div>;
}
