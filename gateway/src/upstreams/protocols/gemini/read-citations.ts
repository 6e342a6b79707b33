// The sources of a candidate's text: pages, documents and places that were found, and texts that were repeated
// literally. The place of a source is given in bytes of the text so far, with the piece of text itself.

import type { Citation } from '../../../canonical/conversation.ts';
import { filledOrNull, isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';

/** More than any answer has. */
export const CITATIONS_MAX = 200;
const CITED_TEXT_LENGTH_MAX = 2_000;
/** Safety: a longer text is gone through for every source of every frame, so its sources get no place in it. */
const PLACED_LENGTH_MAX = 256 * 1024;

type Sources = Readonly<{ found: readonly Citation[]; recited: readonly Citation[] }>;

const NONE: Sources = { found: [], recited: [] };

/** `text` is the candidate's text so far. */
export function readCitations({ groundingMetadata, citationMetadata }: JsonObject, text: string): Sources {
  if (groundingMetadata === undefined && citationMetadata === undefined) return NONE;
  const bytes = Buffer.from(text.length > PLACED_LENGTH_MAX ? '' : text, 'utf8');
  const found = isJsonObject(groundingMetadata) ? foundSources(groundingMetadata, bytes) : [];
  const recited = isJsonObject(citationMetadata) ? recitedSources(citationMetadata, bytes) : [];
  return { found: found.slice(0, CITATIONS_MAX), recited: withoutRepeats(recited).slice(0, CITATIONS_MAX) };
}

/** A source is named repeatedly where no place is given. */
function withoutRepeats(citations: readonly Citation[]): readonly Citation[] {
  return [...new Map(citations.map((citation) => [JSON.stringify(citation), citation])).values()];
}

/** Each source at the text that is based on it; a source that no piece of text names stands for the whole text. */
function foundSources({ groundingChunks, groundingSupports }: JsonObject, bytes: Buffer): readonly Citation[] {
  const sources = listOrEmpty(groundingChunks).slice(0, CITATIONS_MAX).map(readChunk);
  const supports = listOrEmpty(groundingSupports).slice(0, CITATIONS_MAX).filter(isJsonObject);
  const placed = supports.flatMap(({ groundingChunkIndices, segment }) => {
    const range = isJsonObject(segment) && typeof segment.text === 'string' ? rangeIn(bytes, segment) : null;
    return range === null ? [] : listOrEmpty(groundingChunkIndices).map((index) => ({ index, range }));
  });
  return sources.flatMap((source, index) => {
    if (source === null) return [];
    const ranges = placed.filter((it) => it.index === index).map(({ range }) => range);
    return ranges.length === 0 ? [source] : ranges.map((range) => ({ ...source, range }));
  });
}

/** A page, a document, or a place. A document may have no address. */
function readChunk(chunk: unknown, index: number): Citation | null {
  if (!isJsonObject(chunk)) return null;
  const source = chunk.web ?? chunk.retrievedContext ?? chunk.maps;
  if (!isJsonObject(source)) return null;
  const url = filledOrNull(source.uri);
  const title = filledOrNull(source.title);
  const said = filledOrNull(source.text);
  if (url === null && title === null && said === null) return null;
  const citedText = said === null ? null : said.slice(0, CITED_TEXT_LENGTH_MAX);
  return { url, title, citedText, documentIndex: url === null ? index : null, range: null };
}

/** The two servers of these models have two names for them. */
function recitedSources({ citationSources, citations }: JsonObject, bytes: Buffer): readonly Citation[] {
  return listOrEmpty(citationSources ?? citations).flatMap((source) => {
    const url = isJsonObject(source) ? filledOrNull(source.uri) : null;
    if (!isJsonObject(source) || url === null) return [];
    const { title, startIndex, endIndex } = source;
    const range = rangeIn(bytes, { startIndex, endIndex });
    return [{ url, title: filledOrNull(title), citedText: null, documentIndex: null, range }];
  });
}

/** Null where the text differs, as with several candidates, and where a character would be cut. */
function rangeIn(bytes: Buffer, { startIndex = 0, endIndex, text }: JsonObject): Citation['range'] {
  if (!Number.isSafeInteger(startIndex) || !Number.isSafeInteger(endIndex)) return null;
  const [from, to] = [startIndex as number, endIndex as number];
  if (from < 0 || to <= from || to > bytes.length) return null;
  const said = bytes.toString('utf8', from, to);
  if (said !== (text ?? said) || Buffer.byteLength(said) !== to - from) return null;
  const start = bytes.toString('utf8', 0, from).length;
  return { start, end: start + said.length };
}
