// Reviews a request before it may cost anything. Reviewers are given by the composition root; each may refuse (by
// throwing), or return a changed request, which is then what goes upstream.

import type { Caller } from '../canonical/caller.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';
import type { OutputReview } from '../canonical/output-review.ts';
import { ApiError } from '../errors/api-error.ts';

export type Reviewer = (request: CanonicalRequest, caller: Caller) => CanonicalRequest | Promise<CanonicalRequest>;

/** At once, unless a reviewer has to wait for somebody else: a thread, a service, its turn at a long text. */
export function guard(
  request: CanonicalRequest,
  caller: Caller,
  reviewers: readonly Reviewer[],
): CanonicalRequest | Promise<CanonicalRequest> {
  let reviewed = request;
  for (let next = 0; next < reviewers.length; next += 1) {
    const answer = (reviewers[next] as Reviewer)(reviewed, caller);
    if (answer instanceof Promise) return answer.then((changed) => guard(changed, caller, reviewers.slice(next + 1)));
    reviewed = answer;
  }
  return reviewed;
}

/** Null for whoever has no rules on answers. */
export type OutputReviewer = (
  caller: Caller,
  request: CanonicalRequest,
) => OutputReview | null | Promise<OutputReview | null>;

/** What the answer will be held against. */
export function reviewOf(
  caller: Caller,
  request: CanonicalRequest,
  reviewerOf: OutputReviewer,
): OutputReview | null | Promise<OutputReview | null> {
  if (request.operation !== 'chat') return null;
  const review = reviewerOf(caller, request);
  if (review instanceof Promise) return review.then((found) => onlyOne(found, request.choiceCount));
  return onlyOne(review, request.choiceCount);
}

/** An answer that has to be written anew has room for one. */
function onlyOne(review: OutputReview | null, choiceCount: number): OutputReview | null {
  if (review === null || choiceCount === 1) return review;
  throw new ApiError('unsupported_param', 'n: must be 1, since your organization filters answers.');
}
