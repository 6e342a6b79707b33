// A guard: an external service that judges calls for an organization or for the operator, before they are sent, while
// they run, or by their answer. This is its address and how it is asked; its answer is a `GuardVerdict`.

import type { GUARD_ACTIONS, GUARD_FORMS, GUARD_STAGES } from '../../../contract/guards.ts';

export type GuardForm = (typeof GUARD_FORMS)[number];
export type GuardStage = (typeof GUARD_STAGES)[number];
type GuardAction = (typeof GUARD_ACTIONS)[number];

export type Guard = Readonly<{
  id: string;
  /** Null for the operator's own. */
  orgId: string | null;
  name: string;
  form: GuardForm;
  url: string;
  /** Sent as a bearer token; null where the service wants none. */
  apiKey: string | null;
  stages: readonly GuardStage[];
  /** What happens with a finding. A service that cannot say where it found something blocks instead of redacting. */
  action: GuardAction;
  timeoutMs: number;
  /** Whether a call goes on when there is no verdict. */
  isOpenOnFailure: boolean;
}>;

export type GuardText = Readonly<{ origin: string; text: string }>;

/** What a service has found: nothing, something, or the texts as they may be. */
export type GuardVerdict = Readonly<{
  isHit: boolean;
  /** Does not contain the text that was found. */
  reason: string | null;
  /** Null where the service does not say what to cut out. */
  texts: readonly string[] | null;
}>;

export const CLEAR: GuardVerdict = { isHit: false, reason: null, texts: null };
