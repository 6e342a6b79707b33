// A source of a piece of text: a page of the web, or a place in a document that the caller gave.

import type { Citation } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

const CITED_TEXT_LENGTH_MAX = 2_000;

/** Empty for what says neither an address nor a document. */
export function readCitation({ title, source, sourceContent, location }: JsonObject): readonly Citation[] {
  const place = isJsonObject(location) ? location : {};
  const url = isJsonObject(place.web) ? textOf(place.web.url) : null;
  const documentIndex = documentIn(place);
  const name = textOf(title) ?? textOf(source);
  if (url === null && documentIndex === null && name === null) return [];
  const quoted = Array.isArray(sourceContent) ? sourceContent.filter(isJsonObject) : [];
  const text = quoted.map((piece) => textOf(piece.text) ?? '').join('');
  const citedText = text === '' ? null : text.slice(0, CITED_TEXT_LENGTH_MAX);
  return [{ url, title: name, citedText, documentIndex: url === null ? (documentIndex ?? 0) : null, range: null }];
}

/** Characters, pages and chunks of a document are each a member of their own. */
function documentIn(location: JsonObject): number | null {
  for (const place of Object.values(location)) {
    const index = isJsonObject(place) ? place.documentIndex : undefined;
    if (typeof index === 'number' && Number.isSafeInteger(index) && index >= 0) return index;
  }
  return null;
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
