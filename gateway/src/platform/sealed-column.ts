// Where something sealed lies in the database, told by the module that seals it. Whatever is sealed to stay has one of these,
// or it is lost when the root secret is replaced.

/** The columns that name a row and those that its seal is bound to, as text. */
export type SealedRow = Readonly<Record<string, string>>;

type Place = Readonly<{
  table: string;
  /** The primary key: names and types, in its order. */
  key: Readonly<Record<string, 'text' | 'integer' | 'bigint' | 'bytea'>>;
  column: string;
  /** Further columns that the seal is bound to. */
  also?: readonly string[];
  /** What the key is derived for, as it was given to `sealingKey`. */
  purposes: readonly string[];
  /** How many rows are sealed anew in one transaction; a hundred unless said. */
  rowsAtOnce?: number;
}>;

export type SealedColumn = Place &
  (
    | Readonly<{ type: 'text' | 'bytea'; boundTo(row: SealedRow): string }>
    /** A document with sealed texts in it: calls back for each with what it is bound to. */
    | Readonly<{
        type: 'json';
        mapSealed(document: unknown, map: (sealed: string, boundTo: string) => string): unknown;
      }>
  );
