// Who is calling and who pays. It is looked up once per call and never changes while the call runs.

import type { AllowedModels } from './allowed-models.ts';
import type { SpendCap } from './spend-cap.ts';

export type KeyType = 'standard' | 'management';

/** What a student's session may use in all, beside money; null for no limit. */
type StudentAllowance = Readonly<{ requestsMax: number | null; tokensMax: number | null }>;

/** What a key and its organization say of the cache of answers. */
export type CacheRules = Readonly<{
  /** For calls that say nothing about it themselves; null: none. */
  ttlSeconds: number | null;
  /** Whatever a call says. */
  isForbidden: boolean;
  /** All members of the organization are given the same answers. */
  isShared: boolean;
  /** Changes when the cache is emptied. */
  epoch: number;
}>;

/** What an organization keeps of the calls of its keys. */
export type TranscriptRules = Readonly<{
  days: number;
  /** Of how many calls, from 0 to 1. */
  sampleShare: number;
}>;

export type Caller = Readonly<{
  /** Of a student's session, its own id. */
  keyId: string;
  keyName: string;
  keyType: KeyType;
  userId: string;
  /** The account that pays: the id of the user, or of the organization for organization keys. */
  accountId: string;
  isSuspended: boolean;
  expiresAtMs: number | null;
  allowedCidrs: readonly string[];
  /** Calls beyond the quota of a free model go on at the paid price; without it they are refused. */
  hasFreeFallback: boolean;
  /** What an organization lets this key call; null for every model. */
  allowedModels: AllowedModels | null;
  /** What limits this key's spending beside the balance, in the order in which it is checked. */
  caps: readonly SpendCap[];
  /** Absent where nobody has said anything about the cache. */
  cache?: CacheRules;
  /** Absent where nothing of what is sent is kept. */
  transcripts?: TranscriptRules;
  /** Only of a student's session, which opens the few routes that say so. */
  student?: StudentAllowance;
}>;
