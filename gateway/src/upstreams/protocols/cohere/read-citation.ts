// A citation in this protocol's form: a piece of the answer with the documents or tool results that it is based on.
// Places in the text count characters; one outside the basic plane counts once here and twice elsewhere.

import type { Citation } from '../../../canonical/conversation.ts';
import { filledOrNull, isFilled, isJsonObject, type JsonObject } from '../../../canonical/json.ts';

const CITED_TEXT_LENGTH_MAX = 2_000;
const SOURCES_MAX = 100;
/** Names that a source's text may have, because none is prescribed. */
const WORDS = ['snippet', 'text', 'content', 'excerpt', 'contents'];
/** As in `doc:3`, or the third result of a tool. */
const INDEX = /(\d{1,6})$/;

/** One for each source; none where it belongs to text that is not shown as the answer. */
export function readCitation(value: unknown, text: string): readonly Citation[] {
  if (!isJsonObject(value) || (value.type !== undefined && value.type !== 'TEXT_CONTENT')) return [];
  const range = rangeIn(text, value);
  const sources = Array.isArray(value.sources) ? value.sources.slice(0, SOURCES_MAX).filter(isJsonObject) : [];
  return sources.map((source) => ({ ...readSource(source), range }));
}

function readSource(source: JsonObject): Omit<Citation, 'range'> {
  const data = [source.document, source.tool_output].find(isJsonObject) ?? {};
  const id = filledOrNull(source.id) ?? filledOrNull(data.id);
  const url = filledOrNull(data.url);
  const words = WORDS.map((name) => filledOrNull(data[name])).find((it) => it !== null) ?? null;
  return {
    url,
    title: filledOrNull(data.title) ?? id,
    citedText: words === null ? null : words.slice(0, CITED_TEXT_LENGTH_MAX),
    documentIndex: url === null ? Number(INDEX.exec(id ?? '')?.[1] ?? 0) : null,
  };
}

/** Null where the text is not there, for example because it has not come yet. */
function rangeIn(text: string, { start, end, text: said }: JsonObject): Citation['range'] {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || !isFilled(said)) return null;
  const place = { start: start as number, end: end as number };
  if (place.start < 0 || place.end > text.length) return null;
  if (text.slice(place.start, place.end) === said) return place;
  const signs = Array.from(text);
  if (signs.slice(place.start, place.end).join('') !== said) return null;
  const before = signs.slice(0, place.start).join('').length;
  return { start: before, end: before + said.length };
}
