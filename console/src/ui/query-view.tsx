// Shows a query in each of its states: loading, failed (with a button to try again), or loaded.

import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ErrorNotice } from './error-notice.tsx';
import { Loading } from './loading.tsx';

type QueryViewProps<Data> = Readonly<{ query: UseQueryResult<Data>; children: (data: Data) => ReactNode }>;

export function QueryView<Data>({ query, children }: QueryViewProps<Data>) {
  if (query.data !== undefined) return <>{children(query.data)}</>;
  if (query.isError) return <ErrorNotice error={query.error} onRetry={() => void query.refetch()} />;
  return <Loading />;
}
