// Sources in an answer of this protocol and its copies: annotations, nested as in chat or flat as in Responses, with a
// page or a file; and plain lists of addresses beside the answer.

import type { Citation } from '../../../canonical/conversation.ts';
import { filledOrNull, isJsonObject, type JsonObject, textOrEmpty } from '../../../canonical/json.ts';

/** A file may be quoted completely; only an excerpt is shown. */
const CITED_TEXT_LENGTH_MAX = 2_000;
const CITATIONS_MAX = 1_000;

export function readAnnotations(annotations: unknown): readonly Citation[] {
  if (!Array.isArray(annotations)) return [];
  return annotations.slice(0, CITATIONS_MAX).filter(isJsonObject).flatMap(readAnnotation);
}

function readAnnotation(annotation: JsonObject, position: number): readonly Citation[] {
  const page = isJsonObject(annotation.url_citation) ? annotation.url_citation : annotation;
  const url = filledOrNull(page.url);
  if (url !== null) {
    const title = filledOrNull(page.title);
    return [{ url, title, citedText: excerpt(page.content), documentIndex: null, range: rangeOf(page) }];
  }
  const file = isJsonObject(annotation.file) ? annotation.file : annotation;
  const title = filledOrNull(file.name) ?? filledOrNull(file.filename) ?? filledOrNull(file.file_id);
  if (title === null) return [];
  return [{ url: null, title, citedText: excerpt(file.content), documentIndex: position, range: rangeOf(file) }];
}

/** `citations` is a list of addresses, `search_results` has the details of each. */
export function readSourceLists({ citations, search_results: results }: JsonObject): readonly Citation[] {
  const known = Array.isArray(results) ? results.filter(isJsonObject) : [];
  // Without a list of addresses, the results are the list.
  const listed: readonly unknown[] = Array.isArray(citations) ? citations : known;
  return listed.slice(0, CITATIONS_MAX).flatMap((item) => {
    const url = filledOrNull(isJsonObject(item) ? item.url : item);
    if (url === null) return [];
    const result = known.find((it) => it.url === url);
    const title = filledOrNull(result?.title);
    return [{ url, title, citedText: excerpt(result?.snippet), documentIndex: null, range: null }];
  });
}

/** Some upstreams write an empty range when they have none. */
function rangeOf({ start_index: start, end_index: end }: JsonObject): Citation['range'] {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end)) return null;
  const range = { start: start as number, end: end as number };
  return range.start >= 0 && range.end > range.start ? range : null;
}

function excerpt(content: unknown): string | null {
  const texts = Array.isArray(content) ? content.filter(isJsonObject).map(({ text }) => text) : [content];
  const text = texts.map(textOrEmpty).join('');
  return text === '' ? null : text.slice(0, CITED_TEXT_LENGTH_MAX);
}
