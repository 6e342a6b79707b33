// What an answer, or a piece of one, holds besides its parts. Only the first candidate can be told in another format.

import type { Citation } from '../../../canonical/citation.ts';
import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { readNativeReason } from './map-finish-reason.ts';

/** More than any answer leans on. */
const CITATIONS_MAX = 200;

export type AnswerPiece = Readonly<{
  parts: unknown;
  /** Why the model stopped, or why it was never asked; null while it goes on. */
  native: string | null;
  /** The prompt itself was not let through. */
  isBlocked: boolean;
  queryCount: number;
  /** What the words lean on, as far as it has an address. */
  citations: readonly Citation[];
}>;

/** Null for what is no answer at all. */
export function readPiece(json: JsonObject): AnswerPiece | null {
  const { candidates, promptFeedback, usageMetadata } = json;
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const blockReason = isJsonObject(promptFeedback) ? readNativeReason(promptFeedback.blockReason) : null;
  if (!isJsonObject(first)) {
    if (blockReason !== null) return { parts: [], native: blockReason, isBlocked: true, queryCount: 0, citations: [] };
    // Counts may come alone, before or after everything else.
    const isCount = isJsonObject(usageMetadata) || isJsonObject(promptFeedback) || Array.isArray(candidates);
    return isCount ? { parts: [], native: null, isBlocked: false, queryCount: 0, citations: [] } : null;
  }
  const { content, groundingMetadata } = first;
  const queries = isJsonObject(groundingMetadata) ? groundingMetadata.webSearchQueries : undefined;
  return {
    parts: isJsonObject(content) ? content.parts : undefined,
    native: readNativeReason(first.finishReason) ?? blockReason,
    isBlocked: blockReason !== null,
    queryCount: Array.isArray(queries) ? queries.length : 0,
    citations: isJsonObject(groundingMetadata) ? citationsIn(groundingMetadata.groundingChunks) : [],
  };
}

/** Where in the text they belong is told in bytes, and of the text so far; they are given for the whole of it. */
function citationsIn(chunks: unknown): readonly Citation[] {
  return (Array.isArray(chunks) ? chunks.slice(0, CITATIONS_MAX) : []).flatMap((chunk) => {
    const web = isJsonObject(chunk) ? chunk.web : undefined;
    if (!isJsonObject(web) || typeof web.uri !== 'string') return [];
    const title = typeof web.title === 'string' ? web.title : null;
    return [{ url: web.uri, title, citedText: null, documentIndex: null, range: null }];
  });
}
