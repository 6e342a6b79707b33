// How a list is sorted, as its address contains it: the name of a column, with a minus before it for descending order.

import type { Column } from './table.tsx';

export type Sorting<Sort extends string> = Readonly<{ sort: Sort; isDescending: boolean }>;

export function sortingOf<Sort extends string>(
  text: string | undefined,
  sorts: readonly Sort[],
  usual: Sorting<Sort>,
): Sorting<Sort> {
  const isDescending = text?.startsWith('-') ?? false;
  const sort = sorts.find((name) => name === text?.replace(/^-/, ''));
  return sort === undefined ? usual : { sort, isDescending };
}

/** A column that is chosen again is reversed; another one begins with its largest. */
export function sortedBy<Sort extends string>(current: Sorting<Sort>, sort: Sort): string {
  const isDescending = current.sort === sort ? !current.isDescending : true;
  return `${isDescending ? '-' : ''}${sort}`;
}

/** The heading of a column that the list can be sorted by. */
export const sortHeading = <Sort extends string>(
  current: Sorting<Sort>,
  sort: Sort,
  onSort: (text: string) => void,
): NonNullable<Column['sort']> => ({
  direction: current.sort !== sort ? 'none' : current.isDescending ? 'descending' : 'ascending',
  onSort: () => onSort(sortedBy(current, sort)),
});
