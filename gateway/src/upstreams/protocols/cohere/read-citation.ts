// A citation as this protocol writes it: a piece of the answer with the documents or the results of tools that it leans
// on. Places in the text are counted in characters, of which one beyond the usual plane is one here and two elsewhere.

import type { Citation } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

const CITED_TEXT_LENGTH_MAX = 2_000;
const SOURCES_MAX = 100;
/** What the words of a source are called: nobody prescribes it. */
const WORDS = ['snippet', 'text', 'content', 'excerpt', 'contents'];
/** Of `doc:3`, or of the third result of a tool. */
const INDEX = /(\d{1,6})$/;

/** One for each source; none where it belongs to what is not shown as the answer. */
export function readCitation(value: unknown, text: string): readonly Citation[] {
  if (!isJsonObject(value) || (value.type !== undefined && value.type !== 'TEXT_CONTENT')) return [];
  const range = rangeIn(text, value);
  const sources = Array.isArray(value.sources) ? value.sources.slice(0, SOURCES_MAX).filter(isJsonObject) : [];
  return sources.map((source) => ({ ...readSource(source), range }));
}

function readSource(source: JsonObject): Omit<Citation, 'range'> {
  const data = [source.document, source.tool_output].find(isJsonObject) ?? {};
  const id = textOf(source.id) ?? textOf(data.id);
  const url = textOf(data.url);
  const words = WORDS.map((name) => textOf(data[name])).find((it) => it !== null) ?? null;
  return {
    url,
    title: textOf(data.title) ?? id,
    citedText: words === null ? null : words.slice(0, CITED_TEXT_LENGTH_MAX),
    documentIndex: url === null ? Number(INDEX.exec(id ?? '')?.[1] ?? 0) : null,
  };
}

/** Null where the text is not there, as when it has not come yet. */
function rangeIn(text: string, { start, end, text: said }: JsonObject): Citation['range'] {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || textOf(said) === null) return null;
  const place = { start: start as number, end: end as number };
  if (place.start < 0 || place.end > text.length) return null;
  if (text.slice(place.start, place.end) === said) return place;
  const signs = Array.from(text);
  if (signs.slice(place.start, place.end).join('') !== said) return null;
  const before = signs.slice(0, place.start).join('').length;
  return { start: before, end: before + (said as string).length };
}

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
