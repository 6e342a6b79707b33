// Describes where sealed data is in the database; the module that seals it states this. Everything that is sealed and
// stored needs such an entry, or it is lost when the root secret is replaced.

/** The columns that name a row and those that its seal is bound to, as text. */
export type SealedRow = Readonly<Record<string, string>>;

type Place = Readonly<{
  table: string;
  /** The primary key: names and types, in its order. */
  key: Readonly<Record<string, 'text' | 'integer' | 'bigint' | 'bytea'>>;
  column: string;
  /** Further columns that the seal is bound to. */
  also?: readonly string[];
  /** The purposes of the key, as they were given to `sealingKey`. */
  purposes: readonly string[];
  /** How many rows are sealed anew in one transaction; a hundred by default. */
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
