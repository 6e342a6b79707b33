// A citation as this protocol writes it, in a block of text or in a delta: of a page, of a search result that the caller
// gave, or of a place in a document.

import type { Citation } from '../../../canonical/citation.ts';
import { isJsonObject } from '../../../canonical/json.ts';

/** None where it names no source. */
export function readCitation(value: unknown): readonly Citation[] {
  if (!isJsonObject(value)) return [];
  const url = textOf(value.url) ?? textOf(value.source);
  const documentIndex = Number.isSafeInteger(value.document_index) ? (value.document_index as number) : null;
  if (url === null && documentIndex === null) return [];
  const title = textOf(value.title) ?? textOf(value.document_title);
  return [{ url, title, citedText: textOf(value.cited_text), documentIndex, range: null }];
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
