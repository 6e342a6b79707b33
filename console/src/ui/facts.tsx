// Names and values in two columns.

import type { ReactNode } from 'react';

export type Fact = readonly [name: string, value: ReactNode];

export function Facts({ facts }: Readonly<{ facts: readonly Fact[] }>) {
  return (
    <dl className="grid grid-cols-1 gap-2 text-sm">
      {facts.map(([name, value]) => (
        <div key={name} className="flex justify-between gap-6">
          {/* The name gives way first, so that no amount is broken within its digits. */}
          <dt className="shrink-[999] text-quiet">{name}</dt>
          <dd className="min-w-0 text-right font-medium break-words tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
