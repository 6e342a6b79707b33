// The database as modules see it. Statements are named once at the top of a store and prepared by the driver; bigint
// columns arrive as JavaScript bigint, timestamptz as Date, date as its text, jsonb parsed.

export type Statement = Readonly<{ name: string; text: string }>;

/** Names a statement. The name must be unique in the program: the driver caches the plan under it per connection. */
export const sql = (name: string, text: string): Statement => ({ name, text });

export type Queryable = Readonly<{
  query<Row extends object>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>;
}>;

/** Null when there is none. */
export async function firstRow<Row extends object>(
  queryable: Queryable,
  statement: Statement,
  values?: readonly unknown[],
): Promise<Row | null> {
  const [row] = await queryable.query<Row>(statement, values);
  return row ?? null;
}

/** Whether the statement has found or changed anything. */
export async function hasRow(
  queryable: Queryable,
  statement: Statement,
  values?: readonly unknown[],
): Promise<boolean> {
  return (await queryable.query(statement, values)).length > 0;
}

export type Database = Queryable &
  Readonly<{
    /** Commits when `run` resolves, rolls back when it throws. */
    transaction<Result>(run: (transaction: Queryable) => Promise<Result>): Promise<Result>;
    /** True while the last contact with the server succeeded; readiness and admission check it. */
    isReachable(): boolean;
    close(): Promise<void>;
  }>;

/** Invalidations between processes (and within one): topics such as `keys` or `catalog`, with a small text payload. */
export type Notices = Readonly<{
  publish(topic: string, payload: string): Promise<void>;
  /** Handlers run for notices of every process, this one included. */
  subscribe(topic: string, handler: (payload: string) => void): void;
  /** Called after the listening connection was lost and is back: everything cached may be stale. */
  onGap(handler: () => void): void;
  close(): Promise<void>;
}>;
