// The one statement by which processes lease rows that are due: claiming a row changes its time, so that it is not due
// for a while and a process that dies needs no tidying up, and rows that another process is claiming are passed over.

type RowLease = Readonly<{
  table: string;
  /** The columns of its primary key. */
  key: string;
  /**
   * What claiming changes. `$1` is the present, and `$2` mostly when the row falls due again unless its work was done.
   */
  set: string;
  /** Which rows are due; at most `$3` of them are claimed. */
  due: string;
  order: string;
}>;

export const leaseRows = ({ table, key, set, due, order }: RowLease): string =>
  `UPDATE ${table} SET ${set}
   WHERE (${key}) IN (
     SELECT ${key} FROM ${table} WHERE ${due} ORDER BY ${order} LIMIT $3 FOR UPDATE SKIP LOCKED
   )`;
