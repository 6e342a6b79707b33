// What a moderator is: something that reads what is written in a request and says which of the policy's categories it
// falls under, if any.

import type { CanonicalRequest } from '../../../canonical/operation.ts';

export type Verdict = Readonly<{
  categories: readonly string[];
  /** The passages that it is about, by their place in the list. */
  passages: readonly number[];
}>;

/** Null for what may pass. Long requests are read in turns with those of other owners. */
export type Moderator = (request: CanonicalRequest, owner: string) => Verdict | null | Promise<Verdict | null>;
