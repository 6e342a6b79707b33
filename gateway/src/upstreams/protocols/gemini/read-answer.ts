// What an answer, or a piece of one, has besides its parts. Only the first candidate can be shown in another format.

import { endsWell } from '../../../canonical/finish-reason.ts';
import { isJsonObject, type JsonObject, listOrEmpty } from '../../../canonical/json.ts';
import { holdsText } from '../../../canonical/says-something.ts';

export type AnswerPiece = Readonly<{
  parts: unknown;
  /** Why the model stopped, or why it was never asked; null while it goes on. */
  native: string | null;
  /** The prompt itself was blocked. */
  isBlocked: boolean;
  queryCount: number;
  /** The candidate itself, which has the sources of its text; null where there is none. */
  candidate: JsonObject | null;
}>;

/** Null for what is not an answer. */
export function readPiece(json: JsonObject): AnswerPiece | null {
  const { candidates, promptFeedback, usageMetadata } = json;
  const first = Array.isArray(candidates) ? candidates.find(isFirst) : undefined;
  const blockReason = isJsonObject(promptFeedback) ? readNativeReason(promptFeedback.blockReason) : null;
  if (!isJsonObject(first)) {
    if (blockReason !== null)
      return { parts: [], native: blockReason, isBlocked: true, queryCount: 0, candidate: null };
    // Counts may come alone, before or after everything else.
    const isCount = isJsonObject(usageMetadata) || isJsonObject(promptFeedback) || Array.isArray(candidates);
    return isCount ? { parts: [], native: null, isBlocked: false, queryCount: 0, candidate: null } : null;
  }
  const { content, groundingMetadata } = first;
  const queries = isJsonObject(groundingMetadata) ? groundingMetadata.webSearchQueries : undefined;
  return {
    parts: isJsonObject(content) ? content.parts : undefined,
    native: readNativeReason(first.finishReason) ?? blockReason,
    isBlocked: blockReason !== null,
    queryCount: countQueries(queries),
    candidate: first,
  };
}

/** Empty queries, which models leave among the others, are not billed, and those that are the same are billed once. */
function countQueries(queries: unknown): number {
  const asked = listOrEmpty(queries).flatMap((query) => (typeof query === 'string' ? [query.trim()] : []));
  return new Set(asked.filter((query) => query !== '')).size;
}

/** The provider charges for it, whatever error it states beside it. `hasSpoken`: in earlier pieces. */
export const isComplete = (piece: AnswerPiece | null, hasSpoken = false): boolean =>
  piece !== null && endsWell(piece.native) && (hasSpoken || holdsText(piece.parts));

/** The first of several, which come one by one in a stream. */
const isFirst = (candidate: unknown): candidate is JsonObject =>
  isJsonObject(candidate) && (candidate.index ?? 0) === 0;

/** Some servers write the number of the word instead. */
const NUMBERED = ['FINISH_REASON_UNSPECIFIED', 'STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'OTHER'];

/** Null when the model has not stopped. */
function readNativeReason(value: unknown): string | null {
  const word = typeof value === 'number' ? NUMBERED[value] : value;
  return typeof word === 'string' && word !== '' && word !== NUMBERED[0] ? word : null;
}
