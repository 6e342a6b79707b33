// Texts and pictures judged by a policy: one result for each input. Asking is no violation, so what is asked about is not
// refused for what it says.

import type { JsonObject } from './json.ts';
import type { RequestBase, WithTexts } from './request.ts';

export type ModerationRequest = RequestBase &
  Readonly<{
    operation: 'moderation';
    format: 'moderation';
    withTexts: WithTexts<ModerationRequest>;
    /** The texts of each input, in their order. */
    inputTexts: readonly (readonly string[])[];
  }>;

/** For each text, in their order, the categories that it falls into. The owner takes turns with others at what is long. */
export type Judge = (texts: readonly string[], owner: string) => Promise<readonly ReadonlySet<string>[]>;

/** As the upstream has them, since categories differ; `flagged` is certain to be there. */
export type ModerationAnswer = Readonly<{ results: readonly JsonObject[] }>;
