// The quota of free models: for each user of an account and each model a number of requests per minute and of units per
// day, in fixed UTC windows. A take is one decision, all or nothing, so that a store that several processes share can
// make it in one round trip; the grant says how to undo it.

import type { FreeWindow } from '../../canonical/model.ts';

/** Ids hold no spaces. */
export const freeSubject = (accountId: string, userId: string): string => `${accountId} ${userId}`;

export type FreeLimit = Readonly<{ requestsPerMinute: number; unitsPerDay: number }>;

export type FreeTake = Readonly<{
  /** Who is counted: a person in an account. The same person's use in another account does not count here. */
  subject: string;
  /** Units of the day. A request counts as one in the minute, however long its prompt. */
  units: number;
  /** In the order of preference: the first model with room is taken. */
  models: readonly (FreeLimit & Readonly<{ modelId: string }>)[];
  /** A further limit for all users of an address; null where there is none. */
  address: (FreeLimit & Readonly<{ name: string }>) | null;
}>;

/** What was taken, and in which windows: after a window has ended nothing is given back. */
export type FreeGrant = Readonly<{
  subject: string;
  modelId: string;
  addressName: string | null;
  units: number;
  minuteMs: number;
  dayMs: number;
}>;

export type FreeRefusal = Readonly<{
  outcome: 'refused';
  by: 'model' | 'address';
  /**
   * The window of the address, or of the preferred model, that is used up. When both windows are, it is the day, which
   * lasts longer.
   */
  window: FreeWindow;
  passedOver: readonly FreeWindow[];
  /** Until the window ends. */
  retryAfterSeconds: number;
}>;

export type FreeDecision =
  | Readonly<{
      outcome: 'granted';
      grant: FreeGrant;
      /** The windows that were used up of the models before it, in their order. */
      passedOver: readonly FreeWindow[];
    }>
  | FreeRefusal;

export type FreeQuota = Readonly<{
  /** Throws a 503 when what was used before cannot be read. */
  take(request: FreeTake): FreeDecision | Promise<FreeDecision>;
  /** For a call without an answer. */
  giveBack(grant: FreeGrant): void;
}>;
