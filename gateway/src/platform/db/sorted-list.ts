// Lists that are searched by any part of a text, sorted by one of several columns and read page by page. A search reads
// every row, because no index finds the middle of a word; it is for the few people who may see everybody.

import { type Queryable, type Statement, sql } from './database.ts';

export type ListQuery<Sort extends string> = Readonly<{
  /** Null for everything. */
  text: string | null;
  sort: Sort;
  isDescending: boolean;
  /** The id of the last row of the previous page. */
  after: string | null;
  limit: number;
}>;

type ListText<Sort extends string> = Readonly<{
  name: string;
  columns: string;
  from: string;
  id: string;
  /** With $1 as the pattern for LIKE, in lower case, and $2 as the text itself. */
  matches: string;
  sorts: Readonly<Record<Sort, string>>;
}>;

/** Wildcards of LIKE are escaped. */
const patternOf = (text: string): string => `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;

export function sortedList<Row extends object, Sort extends string>(
  list: ListText<Sort>,
): (queryable: Queryable, query: ListQuery<Sort>) => Promise<Row[]> {
  const statements = new Map<string, Statement>();
  return (queryable, { text, sort, isDescending, after, limit }) => {
    const name = `${list.name}_${sort}_${isDescending ? 'down' : 'up'}`;
    const statement = statements.get(name) ?? sql(name, listText(list, sort, isDescending));
    statements.set(name, statement);
    return queryable.query<Row>(statement, [text === null ? null : patternOf(text), text, after, limit]);
  };
}

/** A cursor that names no row gives an empty page. */
function listText<Sort extends string>(list: ListText<Sort>, sort: Sort, isDescending: boolean): string {
  const { columns, from, id, matches, sorts } = list;
  const place = `${sorts[sort]}, ${id}`;
  const direction = isDescending ? 'DESC' : 'ASC';
  return `SELECT ${columns} FROM ${from}
    WHERE ($1::text IS NULL OR ${matches})
      AND ($3::text IS NULL OR (${place}) ${isDescending ? '<' : '>'} (SELECT ${place} FROM ${from} WHERE ${id} = $3))
    ORDER BY ${sorts[sort]} ${direction}, ${id} ${direction} LIMIT $4`;
}
