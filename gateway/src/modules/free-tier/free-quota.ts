// The quota of free models: for each user of an account and model so many requests a minute and so many units a day, in fixed UTC
// windows. A take is one decision, all or nothing, so that a store that several processes share can make it in one
// round trip; what it needs to undo it later is in the grant.

import type { FreeWindow } from '../../canonical/model.ts';

/** Ids hold no spaces. */
export const freeSubject = (accountId: string, userId: string): string => `${accountId} ${userId}`;

export type FreeLimit = Readonly<{ requestsPerMinute: number; unitsPerDay: number }>;

export type FreeTake = Readonly<{
  /** Who is counted: a person in an account. What somebody uses elsewhere does not follow them here. */
  subject: string;
  /** Of the day; a request is one request of the minute, however long its prompt. */
  units: number;
  /** In the order of preference: it is taken of the first that has room. */
  models: readonly (FreeLimit & Readonly<{ modelId: string }>)[];
  /** A further limit, whoever the user is; null where there is none. */
  address: (FreeLimit & Readonly<{ name: string }>) | null;
}>;

/** What was taken, and in which windows: in a later one there is nothing to give back. */
export type FreeGrant = Readonly<{
  subject: string;
  modelId: string;
  addressName: string | null;
  units: number;
  minute: number;
  day: number;
}>;

export type FreeRefusal = Readonly<{
  outcome: 'refused';
  by: 'model' | 'address';
  /** Of the address, or of the model that was preferred. With both used up it is the day, which lasts. */
  window: FreeWindow;
  passedOver: readonly FreeWindow[];
  /** Until the window turns. */
  retryAfterSeconds: number;
}>;

export type FreeDecision =
  | Readonly<{
      outcome: 'granted';
      grant: FreeGrant;
      /** What the models before it had used up, in their order. */
      passedOver: readonly FreeWindow[];
    }>
  | FreeRefusal;

export type FreeQuota = Readonly<{
  /** Throws a 503 when what was used before cannot be read. */
  take(request: FreeTake): FreeDecision | Promise<FreeDecision>;
  /** For a call that nobody answered. */
  giveBack(grant: FreeGrant): void;
}>;
