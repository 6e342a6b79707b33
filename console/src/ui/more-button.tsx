// The way to the next page of a list, where there is one, and why it could not be read.

import { Button } from './button.tsx';
import { ErrorNotice } from './error-notice.tsx';

export type MoreOf = Readonly<{
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  isFetchNextPageError: boolean;
  error: unknown;
  fetchNextPage: () => unknown;
}>;

export function MoreButton({ list, verb = 'Show more' }: Readonly<{ list: MoreOf; verb?: string }>) {
  if (!list.hasNextPage) return null;
  return (
    <div className="grid justify-items-center gap-3 border-t border-line p-3">
      {list.isFetchNextPageError && <ErrorNotice error={list.error} />}
      <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {verb}
      </Button>
    </div>
  );
}
