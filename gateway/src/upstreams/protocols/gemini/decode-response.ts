// Reads a whole answer and checks that it is one, because an upstream that answers 200 may still have failed.

import type { Answer, FinishReason } from '../../../canonical/answer.ts';
import { finishReasonOf } from '../../../canonical/finish-reason.ts';
import { type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { statesError } from '../../../canonical/states-error.ts';
import type { StreamPart } from '../../../canonical/stream-part.ts';
import type { Usage } from '../../../canonical/usage.ts';
import { readExactJsonDocument } from '../../../platform/read-json-object.ts';
import { collectParts } from '../../collect-parts.ts';
import type { DecodedJson } from '../../conversation-codec.ts';
import { failedAnswer, malformedAnswer, onlyFailed } from '../../read-answer.ts';
import { CandidateReader } from './candidate-reader.ts';
import { readUsage, withSearches } from './convert-usage.ts';
import { describeError, statusOfError } from './error-envelope.ts';
import { type AnswerPiece, isComplete, readPiece } from './read-answer.ts';
import { readCitations } from './read-citations.ts';
import { readLogprobs } from './read-logprobs.ts';

export function decodeAnswer(body: Buffer): DecodedJson {
  // The arguments of a call are part of this JSON, so large integers must stay exact.
  const source = readExactJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const { json } = source;
  const piece = readPiece(json);
  if (statesError(json.error) && !isComplete(piece)) {
    const error = objectOrEmpty(json.error);
    return failedAnswer(describeError(error), statusOfError(error));
  }
  if (piece === null) return malformedAnswer('neither candidates nor a reason why there are none');
  if (piece.native === null && !Array.isArray(piece.parts)) return malformedAnswer('an answer without a candidate');
  const problem = new CandidateReader().read(piece.parts, json.responseId, []);
  if (problem !== null) return malformedAnswer(problem);
  const answer = readAnswer(json);
  const failed = onlyFailed(answer);
  if (failed !== null) return failed;
  return { kind: 'answer', source, usage: usageOf(json, piece), finishReason: answer.finishReason };
}

/** Only for an answer that has been decoded. */
export function readAnswer(json: JsonObject): Answer {
  const piece = readPiece(json);
  const reader = new CandidateReader();
  const parts: StreamPart[] = [];
  reader.read(piece?.parts, json.responseId, parts);
  const { found, recited } = readCitations(piece?.candidate ?? {}, reader.text);
  for (const citation of [...found, ...recited]) parts.push({ type: 'citation', citation });
  reader.finish(parts);
  const logprobs = readLogprobs(piece?.candidate ?? {});
  const pictures = parts.flatMap((part) => (part.type === 'picture' ? [part.picture] : []));
  return {
    parts: collectParts(parts),
    finishReason: reasonOf(piece, reader.hasCalls),
    nativeFinishReason: piece?.native ?? null,
    stopSequence: null,
    usage: piece === null ? null : usageOf(json, piece),
    ...(logprobs.length === 0 ? {} : { logprobs }),
    ...(pictures.length === 0 ? {} : { pictures }),
  };
}

function reasonOf(piece: AnswerPiece | null, hasCalls: boolean): FinishReason {
  if (piece === null || piece.native === null) return hasCalls ? 'tool_calls' : 'stop';
  return piece.isBlocked ? 'content_filter' : finishReasonOf(piece.native, hasCalls);
}

function usageOf(json: JsonObject, { queryCount }: AnswerPiece): Usage | null {
  return withSearches(readUsage(json.usageMetadata), queryCount, json.modelVersion);
}
