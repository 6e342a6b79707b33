// A long list that is read page by page: its rows so far, a word where there are none, and the way to the next page.
// What was read stays in sight when something more could not be read.

import type { ReactNode } from 'react';
import { Card } from './card.tsx';
import { ErrorNotice } from './error-notice.tsx';
import { Loading } from './loading.tsx';
import { MoreButton, type MoreOf } from './more-button.tsx';
import { type Column, Table } from './table.tsx';

type PagedTableProps<Page, Row> = Readonly<{
  list: MoreOf & Readonly<{ data: Readonly<{ pages: readonly Page[] }> | undefined; refetch: () => unknown }>;
  label: string;
  columns: readonly Column[];
  rowsOf: (page: Page) => readonly Row[];
  /** What is said where there is no row. */
  empty: ReactNode;
  /** One row, with a key of its own. */
  children: (row: Row) => ReactNode;
}>;

export function PagedTable<Page, Row>(props: PagedTableProps<Page, Row>) {
  const { list, label, columns, rowsOf, empty, children } = props;
  if (list.data === undefined) {
    return list.error === null ? <Loading /> : <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />;
  }
  const rows = list.data.pages.flatMap(rowsOf);
  return (
    <Card isFlush>
      <Table label={label} columns={columns}>
        {rows.map(children)}
      </Table>
      {rows.length === 0 && <p className="px-5 py-8 text-center text-sm text-quiet">{empty}</p>}
      <MoreButton list={list} />
    </Card>
  );
}
