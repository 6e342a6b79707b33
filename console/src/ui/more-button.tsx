// The way to the next page of a list, where there is one.

import { Button } from './button.tsx';

export type MoreOf = Readonly<{ hasNextPage: boolean; isFetchingNextPage: boolean; fetchNextPage: () => unknown }>;

export function MoreButton({ list, verb = 'Show more' }: Readonly<{ list: MoreOf; verb?: string }>) {
  if (!list.hasNextPage) return null;
  return (
    <div className="flex justify-center border-t border-line p-3">
      <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {verb}
      </Button>
    </div>
  );
}
