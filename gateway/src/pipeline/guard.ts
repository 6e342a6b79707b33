// Reviews a request before it may cost anything. Reviewers are given by the composition root; each may refuse (by
// throwing), or return a changed request, which is then what goes upstream.

import type { Caller } from '../canonical/caller.ts';
import type { CanonicalRequest } from '../canonical/operation.ts';

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
