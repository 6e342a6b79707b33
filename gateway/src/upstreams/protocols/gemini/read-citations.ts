// What the words of a candidate lean on: pages, documents and places that were found, and texts that were repeated word
// for word. Where a source belongs is told in bytes of the text so far, with the piece of text itself.

import type { Citation } from '../../../canonical/conversation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';

/** More than any answer leans on. */
const CITATIONS_MAX = 200;
const CITED_TEXT_LENGTH_MAX = 2_000;

/** `text` is all that the candidate has said so far. */
export function readCitations({ groundingMetadata, citationMetadata }: JsonObject, text: string): readonly Citation[] {
  if (groundingMetadata === undefined && citationMetadata === undefined) return [];
  const found = isJsonObject(groundingMetadata) ? foundSources(groundingMetadata, text) : [];
  const recited = isJsonObject(citationMetadata) ? recitedSources(citationMetadata) : [];
  return [...found, ...recited].slice(0, CITATIONS_MAX);
}

/** Each source where the text leans on it; one that no piece of text names stands for the whole of it. */
function foundSources({ groundingChunks, groundingSupports }: JsonObject, text: string): readonly Citation[] {
  const sources = listOf(groundingChunks).slice(0, CITATIONS_MAX).map(readChunk);
  const supports = listOf(groundingSupports).slice(0, CITATIONS_MAX).filter(isJsonObject);
  const bytes = supports.length === 0 ? Buffer.alloc(0) : Buffer.from(text, 'utf8');
  const placed = supports.flatMap(({ groundingChunkIndices, segment }) => {
    const range = isJsonObject(segment) ? rangeIn(bytes, segment) : null;
    return range === null ? [] : listOf(groundingChunkIndices).map((index) => ({ index, range }));
  });
  return sources.flatMap((source, index) => {
    if (source === null) return [];
    const ranges = placed.filter((it) => it.index === index).map(({ range }) => range);
    return ranges.length === 0 ? [source] : ranges.map((range) => ({ ...source, range }));
  });
}

/** A page, a document that was found, or a place. A document may have no address. */
function readChunk(chunk: unknown, index: number): Citation | null {
  if (!isJsonObject(chunk)) return null;
  const source = chunk.web ?? chunk.retrievedContext ?? chunk.maps;
  if (!isJsonObject(source)) return null;
  const url = textOf(source.uri);
  const title = textOf(source.title);
  const said = textOf(source.text);
  if (url === null && title === null && said === null) return null;
  const citedText = said === null ? null : said.slice(0, CITED_TEXT_LENGTH_MAX);
  return { url, title, citedText, documentIndex: url === null ? index : null, range: null };
}

/** They have two names in the two places where these models are. */
function recitedSources({ citationSources, citations }: JsonObject): readonly Citation[] {
  return listOf(citationSources ?? citations).flatMap((source) => {
    const url = isJsonObject(source) ? textOf(source.uri) : null;
    if (!isJsonObject(source) || url === null) return [];
    return [{ url, title: textOf(source.title), citedText: null, documentIndex: null, range: null }];
  });
}

/** Null where the text is another, as when there are several. */
function rangeIn(bytes: Buffer, { startIndex = 0, endIndex, text }: JsonObject): Citation['range'] {
  if (!Number.isSafeInteger(startIndex) || !Number.isSafeInteger(endIndex)) return null;
  const [from, to] = [startIndex as number, endIndex as number];
  if (from < 0 || to <= from || to > bytes.length) return null;
  const said = bytes.toString('utf8', from, to);
  if (said !== text) return null;
  const start = bytes.toString('utf8', 0, from).length;
  return { start, end: start + said.length };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const textOf = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);
