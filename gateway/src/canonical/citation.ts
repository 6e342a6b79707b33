// A source that an answer leans on: a page of the web, or a document that the caller gave. Formats differ in where they
// put it; here it belongs to a piece of text.

export type Citation = Readonly<{
  /** Null for a document, which has a place in the request instead. */
  url: string | null;
  title: string | null;
  /** What is quoted of it, where the upstream says. */
  citedText: string | null;
  documentIndex: number | null;
  /** In characters of the text that it belongs to; null means the whole of that. */
  range: Readonly<{ start: number; end: number }> | null;
}>;
