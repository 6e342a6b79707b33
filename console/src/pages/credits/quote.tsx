// What a top-up will cost, part by part, as the gateway will charge it.

import type { UseQueryResult } from '@tanstack/react-query';
import type { TopUpOptions, TopUpPrice } from '../../api/top-ups.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { priceLines } from './price-lines.ts';

type QuoteProps = Readonly<{ query: UseQueryResult<TopUpPrice>; offer: TopUpOptions; isInRange: boolean }>;

export function Quote({ query, offer, isInRange }: QuoteProps) {
  if (!isInRange) {
    return <p className="min-h-40 rounded-lg bg-sunken p-4 text-sm text-quiet">Choose an amount to see the price.</p>;
  }
  return (
    <div className="min-h-40 rounded-lg bg-sunken p-4">
      <QueryView query={query}>
        {(price) => (
          <dl aria-label="Price" className="grid gap-1.5 text-sm">
            {priceLines(price, offer).map(({ name, value, isSum }) => (
              <div
                key={name}
                className={
                  isSum ? 'flex justify-between border-t border-line pt-1.5 font-semibold' : 'flex justify-between'
                }
              >
                <dt>{name}</dt>
                <dd className="tabular-nums">{value}</dd>
              </div>
            ))}
          </dl>
        )}
      </QueryView>
    </div>
  );
}
