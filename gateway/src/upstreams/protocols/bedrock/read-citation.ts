// The source of a piece of text: a web page, or a place in a document that the caller gave.

import type { Citation, DocumentPlace } from '../../../canonical/conversation.ts';
import { filledOrNull, isJsonObject, type JsonObject, objectOrEmpty, textOrEmpty } from '../../../canonical/json.ts';

const CITED_TEXT_LENGTH_MAX = 2_000;

/** Empty where neither an address nor a document is named. */
export function readCitation({ title, source, sourceContent, location }: JsonObject): readonly Citation[] {
  const place = objectOrEmpty(location);
  const url = isJsonObject(place.web) ? filledOrNull(place.web.url) : pageOf(place, source);
  const document = documentIn(place);
  const name = filledOrNull(title) ?? filledOrNull(source);
  if (url === null && document === null && name === null) return [];
  const quoted = Array.isArray(sourceContent) ? sourceContent.filter(isJsonObject) : [];
  const text = quoted.map((piece) => textOrEmpty(piece.text)).join('');
  const citedText = text === '' ? null : text.slice(0, CITED_TEXT_LENGTH_MAX);
  const citation = { url, title: name, citedText, documentIndex: null, range: null };
  return [url === null ? { ...citation, ...(document ?? { documentIndex: 0 }) } : citation];
}

/** A search result that the caller gave is named by its source. */
const pageOf = ({ searchResultLocation }: JsonObject, source: unknown): string | null =>
  isJsonObject(searchResultLocation) ? filledOrNull(source) : null;

const UNITS: ReadonlyMap<string, DocumentPlace['unit']> = new Map([
  ['documentChar', 'character'],
  ['documentPage', 'page'],
  ['documentChunk', 'block'],
]);

/** Characters, pages and chunks of a document each have their own member. */
function documentIn(location: JsonObject): Pick<Citation, 'documentIndex' | 'place'> | null {
  for (const [name, place] of Object.entries(location)) {
    if (!isJsonObject(place)) continue;
    const documentIndex = countOf(place.documentIndex);
    if (documentIndex === null) continue;
    const [unit, start, end] = [UNITS.get(name), countOf(place.start), countOf(place.end)];
    if (unit === undefined || start === null || end === null) return { documentIndex };
    return { documentIndex, place: { unit, start, end } };
  }
  return null;
}

const countOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;
