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
  due: string;
  order: string;
  /** How many rows are claimed at most; `$3` where it is left out. */
  limit?: string;
}>;

// The rows are chosen by a part that runs once: a subquery could be run for each row of the table, and then choose more
// than the limit.
export const leaseRows = ({ table, key, set, due, order, limit = '$3' }: RowLease): string =>
  `WITH chosen AS MATERIALIZED (
     SELECT ${key} FROM ${table} WHERE ${due} ORDER BY ${order} LIMIT ${limit} FOR UPDATE SKIP LOCKED
   )
   UPDATE ${table} SET ${set}
   WHERE (${key}) IN (SELECT ${key} FROM chosen)`;
