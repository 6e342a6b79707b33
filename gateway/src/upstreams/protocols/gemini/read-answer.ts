// What an answer, or a piece of one, holds besides its parts. Only the first candidate can be told in another format.

import { isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { readNativeReason } from './map-finish-reason.ts';

export type AnswerPiece = Readonly<{
  parts: unknown;
  /** Why the model stopped, or why it was never asked; null while it goes on. */
  native: string | null;
  /** The prompt itself was not let through. */
  isBlocked: boolean;
  queryCount: number;
}>;

/** Null for what is no answer at all. */
export function readPiece(json: JsonObject): AnswerPiece | null {
  const { candidates, promptFeedback, usageMetadata } = json;
  const first: unknown = Array.isArray(candidates) ? candidates[0] : undefined;
  const blockReason = isJsonObject(promptFeedback) ? readNativeReason(promptFeedback.blockReason) : null;
  if (!isJsonObject(first)) {
    if (blockReason !== null) return { parts: [], native: blockReason, isBlocked: true, queryCount: 0 };
    // Counts may come alone, before or after everything else.
    const isCount = isJsonObject(usageMetadata) || isJsonObject(promptFeedback) || Array.isArray(candidates);
    return isCount ? { parts: [], native: null, isBlocked: false, queryCount: 0 } : null;
  }
  const { content, groundingMetadata } = first;
  const queries = isJsonObject(groundingMetadata) ? groundingMetadata.webSearchQueries : undefined;
  return {
    parts: isJsonObject(content) ? content.parts : undefined,
    native: readNativeReason(first.finishReason) ?? blockReason,
    isBlocked: blockReason !== null,
    queryCount: Array.isArray(queries) ? queries.length : 0,
  };
}
