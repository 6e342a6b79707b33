// Reviews a request before it may cost anything. Reviewers are given by the composition root; each may refuse (by
// throwing), or return a changed request, which is then what goes upstream.

import type { Caller } from '../canonical/caller.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';

export type Reviewer = (request: CanonicalRequest, caller: Caller) => CanonicalRequest | Promise<CanonicalRequest>;

export function guard(
  request: CanonicalRequest,
  caller: Caller,
  reviewers: readonly Reviewer[],
): CanonicalRequest | Promise<CanonicalRequest> {
  return reviewers.length === 0 ? request : review(request, caller, reviewers);
}

async function review(
  request: CanonicalRequest,
  caller: Caller,
  reviewers: readonly Reviewer[],
): Promise<CanonicalRequest> {
  let reviewed = request;
  for (const reviewer of reviewers) reviewed = await reviewer(reviewed, caller);
  return reviewed;
}
