// A moderator reads the texts of a request and names the category of the policy that they fall under, if any.

import type { CanonicalRequest } from '../../../canonical/operation.ts';

export type Verdict = Readonly<{
  categories: readonly string[];
  /** The passages that the verdict is about, by their place in the list. */
  passages: readonly number[];
}>;

/** Null for requests that may pass. Long requests take turns with those of other owners. */
export type Moderator = (request: CanonicalRequest, owner: string) => Verdict | null | Promise<Verdict | null>;
