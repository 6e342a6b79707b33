// What a moderator is: something that reads the passages of a request and says which of the policy's categories they
// fall under, if any.

import type { Passage } from '../../../canonical/passage.ts';

export type Verdict = Readonly<{
  categories: readonly string[];
  /** The passages that it is about, by their place in the list. */
  passages: readonly number[];
}>;

/** Null for what may pass. */
export type Moderator = (passages: readonly Passage[]) => Verdict | null | Promise<Verdict | null>;
