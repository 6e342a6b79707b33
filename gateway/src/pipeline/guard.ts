// Reviews a request before it may cost anything, and the answer before it is shown. The composition root gives the
// reviewers; each may refuse (by throwing) or return a changed request, which then goes upstream.

import type { ConversationAnswer, OutputReview, ReviewedTexts } from '../canonical/answer.ts';
import type { Caller } from '../canonical/caller.ts';
import type { ReviewNotes } from '../canonical/generation.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { StreamFault } from '../canonical/stream-part.ts';
import type { Usage } from '../canonical/usage.ts';
import { straysIn } from '../dialects/answer-strays.ts';
import { AnswerTexts } from '../dialects/answer-texts.ts';
import { mapAnswer, withoutOwn } from '../dialects/map-answer.ts';
import { asAsked } from '../dialects/offered-tools.ts';
import type { StreamPipe } from '../dialects/stream-pipe.ts';
import { ApiError } from '../errors/api-error.ts';
import { failureOfStreamFault, failureToApiError } from '../upstreams/failure.ts';
import type { UpstreamFailure } from '../upstreams/protocol.ts';
import type { WholeAnswer } from './attempts/attempt-parts.ts';
import type { AbsorbedReason } from './money/lost-work.ts';

export type Reviewer = (
  request: CanonicalRequest,
  caller: Caller,
  notes: ReviewNotes,
) => CanonicalRequest | Promise<CanonicalRequest>;

/** Answers at once, unless a reviewer has to wait for a thread, a service, or its turn at a long text. */
export function guard(
  request: CanonicalRequest,
  caller: Caller,
  reviewers: readonly Reviewer[],
  notes: ReviewNotes,
): CanonicalRequest | Promise<CanonicalRequest> {
  let reviewed = request;
  for (let next = 0; next < reviewers.length; next += 1) {
    const answer = (reviewers[next] as Reviewer)(reviewed, caller, notes);
    if (answer instanceof Promise)
      return answer.then((changed) => guard(changed, caller, reviewers.slice(next + 1), notes));
    reviewed = answer;
  }
  return reviewed;
}

/** Null for callers without rules on answers. */
export type OutputReviewer = (
  caller: Caller,
  request: CanonicalRequest,
  notes: ReviewNotes,
) => OutputReview | null | Promise<OutputReview | null>;

/** The rules that the answer will be checked against. */
export function reviewOf(
  caller: Caller,
  request: CanonicalRequest,
  reviewerOf: OutputReviewer,
  notes: ReviewNotes,
): OutputReview | null | Promise<OutputReview | null> {
  // What is sealed can be judged by nobody.
  if (request.operation !== 'chat' || request.isCompaction) return null;
  const review = reviewerOf(caller, request, notes);
  if (review instanceof Promise) return review.then((found) => onlyOne(found, request.choiceCount));
  return onlyOne(review, request.choiceCount);
}

/** An answer that may be redacted has one choice only. */
function onlyOne(review: OutputReview | null, choiceCount: number): OutputReview | null {
  if (review === null || choiceCount === 1) return review;
  throw new ApiError('unsupported_param', 'n: must be 1, since your organization filters answers.');
}

// Reviews a whole answer before it is shown: its words, its reasoning, what it wants tools to be given, and whatever else
// is in it. An answer of which something was redacted is written anew; any other goes out as it came.

type Reviewed = Readonly<{ review: OutputReview | null; request: Pick<CanonicalRequest, 'format' | 'body' | 'needs'> }>;
type Judged = (judged: WholeAnswer | ApiError) => void;

/**
 * Hands on the answer as it may be shown, or why it may not: at once, unless the review takes its time. Either
 * way the upstream's work is charged: what keeps the answer back are the organization's own rules.
 */
export function judge(
  { review, request }: Reviewed,
  answer: WholeAnswer,
  then: Judged,
  crash: (error: unknown) => void,
): void {
  const judged = review === null ? answer : reviewAnswer(review, answer, request);
  if (judged instanceof Promise) judged.then(then, crash);
  else then(judged);
}

/**
 * How a stream with a fault ends: by the organization's own rules, by our own bound on a frame, or by the upstream's
 * doing.
 */
export function endOf(fault: StreamFault): readonly [AbsorbedReason, ApiError] {
  if (fault.kind === 'blocked') return ['blocked', new ApiError('content_filter', fault.detail)];
  const reason = fault.kind === 'oversize' ? 'oversize' : 'interrupted';
  return [reason, failureToApiError(failureOfStreamFault(fault))];
}

/**
 * The upstream's own usage, where a stream that was cut is charged by it: the organization's rules have ended it, or
 * the upstream has, with an error in the place of a finish, as it would be for a whole answer.
 */
export const statedFor = (
  reason: AbsorbedReason,
  { fault, usage }: Pick<StreamPipe, 'fault' | 'usage'>,
): Usage | null => (reason === 'blocked' || (reason === 'interrupted' && fault?.isEnd === true) ? usage : null);

/**
 * Whether a stream that was cut is charged for what was delivered. Where a client left or its credit ran out, the
 * operator's setting decides; what the organization's own rules have ended is always charged.
 */
export function isChargedFor(
  reason: AbsorbedReason,
  delivered: Usage,
  isDropped: boolean,
  { isAbandonedCharged }: Readonly<{ isAbandonedCharged: boolean }>,
): boolean {
  if (reason === 'blocked') return true;
  if (delivered.completionTokens === 0) return false;
  if (reason === 'oversize' || isDropped) return true;
  return reason !== 'interrupted' && isAbandonedCharged;
}

/** A stream that was too long is charged; one that would have had room at another time is not. */
export const reasonOfBreak = (failure: UpstreamFailure): AbsorbedReason =>
  failure.kind === 'bound' && failure.retryAfterSeconds === undefined ? 'oversize' : 'interrupted';

/** The reason that is recorded for a call that could not be completed. */
export const reasonOf = ({ code }: ApiError): AbsorbedReason => (code === 'content_filter' ? 'blocked' : 'interrupted');

function reviewAnswer(
  review: OutputReview,
  whole: WholeAnswer,
  request: Reviewed['request'],
): WholeAnswer | ApiError | Promise<WholeAnswer | ApiError> {
  // Only conversations are reviewed, so every call with a review is one.
  const conversation = whole.answer as ConversationAnswer;
  const read = conversation.toAnswer();
  const isSame = conversation.format === request.format;
  // What is not shown needs no review.
  const answer = asAsked(isSame ? read : withoutOwn(read), request);
  const said = new AnswerTexts();
  const known = new Set<string>();
  mapAnswer(answer, (text, kind) => {
    said.add(text, kind);
    known.add(text);
    return text;
  });
  const strays = isSame ? straysIn(conversation.json, request.format, known) : null;
  for (const text of strays?.texts ?? []) said.add(text);
  const hasLogprobs = strays?.hasLogprobs ?? answer.logprobs !== undefined;
  const conclude = (reviewed: ReviewedTexts): WholeAnswer | ApiError => {
    if (reviewed.refusal !== null) return new ApiError('content_filter', reviewed.refusal);
    if (!hasLogprobs && said.isUnchanged(reviewed.texts)) return whole;
    const left = said.inPlace(reviewed.texts).values();
    const replace = (): string => left.next().value ?? '';
    // Log probabilities have what a stop sequence has cut off, and what the model might have said instead.
    const { logprobs: _logprobs, ...changed } = mapAnswer(answer, replace);
    // No client's format is `native`, so the dialect writes the answer anew from `toAnswer`.
    return { ...whole, answer: { ...conversation, format: 'native', toAnswer: () => changed } };
  };
  const reviewing = review.whole(said.texts);
  return reviewing instanceof Promise ? reviewing.then(conclude) : conclude(reviewing);
}
