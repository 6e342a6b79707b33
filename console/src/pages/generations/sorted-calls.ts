// The shown calls in another order. They come newest first; every other order is made here, among those shown.

import type { LoggedCall } from '../../api/generations.ts';
import type { Sorting } from '../../ui/sorting.ts';

export const CALL_SORTS = ['at', 'model', 'tokens', 'duration', 'cost'] as const;
export type CallSort = (typeof CALL_SORTS)[number];

export const NEWEST_FIRST: Sorting<CallSort> = { sort: 'at', isDescending: true };

const sortValue: Readonly<Record<CallSort, (call: LoggedCall) => string | number>> = {
  at: ({ at }) => at,
  model: ({ model }) => model ?? '',
  tokens: ({ promptTokens, completionTokens }) => (promptTokens ?? 0) + (completionTokens ?? 0),
  duration: ({ durationMs }) => durationMs,
  cost: ({ costUsd }) => costUsd,
};

export function sortedCalls(
  calls: readonly LoggedCall[],
  { sort, isDescending }: Sorting<CallSort>,
): readonly LoggedCall[] {
  if (sort === 'at' && isDescending) return calls;
  const value = sortValue[sort];
  const sign = isDescending ? -1 : 1;
  return [...calls].sort((left, right) => {
    const [one, other] = [value(left), value(right)];
    return one === other ? 0 : one < other ? -sign : sign;
  });
}
