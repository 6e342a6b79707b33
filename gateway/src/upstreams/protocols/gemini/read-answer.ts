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
  const first = Array.isArray(candidates) ? candidates.find(isFirst) : undefined;
  const blockReason = isJsonObject(promptFeedback) ? readNativeReason(promptFeedback.blockReason) : null;
  if (!isJsonObject(first)) {
    if (blockReason !== null) return { parts: [], native: blockReason, isBlocked: true, queryCount: 0, citations: [] };
    // Counts may come alone, before or after everything else.
    const isCount = isJsonObject(usageMetadata) || isJsonObject(promptFeedback) || Array.isArray(candidates);
    return isCount ? { parts: [], native: null, isBlocked: false, queryCount: 0, citations: [] } : null;
  }
  const { content, groundingMetadata, citationMetadata } = first;
  const queries = isJsonObject(groundingMetadata) ? groundingMetadata.webSearchQueries : undefined;
  return {
    parts: isJsonObject(content) ? content.parts : undefined,
    native: readNativeReason(first.finishReason) ?? blockReason,
    isBlocked: blockReason !== null,
    queryCount: Array.isArray(queries) ? queries.length : 0,
    citations: [
      ...(isJsonObject(groundingMetadata) ? citationsIn(groundingMetadata.groundingChunks, sourceOf) : []),
      ...(isJsonObject(citationMetadata) ? citationsIn(recited(citationMetadata), (source) => source) : []),
    ],
  };
}

/** Of several, which come one by one in a stream. */
const isFirst = (candidate: unknown): candidate is JsonObject =>
  isJsonObject(candidate) && (candidate.index ?? 0) === 0;

/** A page, a document that was found, or a place. */
const sourceOf = ({ web, retrievedContext, maps }: JsonObject): unknown => web ?? retrievedContext ?? maps;

/** What was said word for word has two names in the two places where these models are. */
const recited = ({ citationSources, citations }: JsonObject): unknown => citationSources ?? citations;

/** Where in the text they belong is told in bytes, and of the text so far; they are given for the whole of it. */
function citationsIn(chunks: unknown, sourceIn: (chunk: JsonObject) => unknown): readonly Citation[] {
  return (Array.isArray(chunks) ? chunks.slice(0, CITATIONS_MAX) : []).flatMap((chunk) => {
    const source = isJsonObject(chunk) ? sourceIn(chunk) : undefined;
    if (!isJsonObject(source) || typeof source.uri !== 'string' || source.uri === '') return [];
    const title = typeof source.title === 'string' ? source.title : null;
    return [{ url: source.uri, title, citedText: null, documentIndex: null, range: null }];
  });
}
