// What stays the same for one call from its admission to its record. Stages take it as a value; nobody changes it.

import type { Caller } from '../canonical/caller.ts';
import type { CanonicalRequest } from '../canonical/request.ts';
import type { Dialect } from '../dialects/dialect.ts';

export type Call = Readonly<{
  generationId: string;
  caller: Caller;
  request: CanonicalRequest;
  /** How the client reads and is answered. */
  dialect: Dialect;
  /** From `X-Title`; metadata only. */
  appName: string | null;
  startedAtMs: number;
  startedMonotonicMs: number;
}>;
