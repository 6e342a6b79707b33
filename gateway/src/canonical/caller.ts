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

// Who manages: a person with a session, or whoever holds a key. Unlike a caller it never pays for a call; what it may
// do inside an organization is decided by its membership there, not by this value.

export type Principal = Readonly<{
  userId: string;
  /** What the credential is bound to: the organization of an organization's key, else the person's own account. */
  accountId: string;
  credential: 'key' | 'session';
  /** Whether a session was opened with a second factor; what a key may do was decided when it was made. */
  hasSecondFactor: boolean;
  /** The organization whose issuer vouched for a session; null: none did. */
  signOnOrgId: string | null;
  /** The caller behind a key; a session has none. */
  caller: Caller | null;
}>;

// Who operates the gateway: whoever has the operator token, or a person with a role. Each role may do what those before
// it may.

export type OperatorRole = 'read_only' | 'support' | 'owner';

export const OPERATOR_ROLES: readonly OperatorRole[] = ['read_only', 'support', 'owner'];

export const includesRole = (role: OperatorRole, least: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);

export type ActingOperator = Readonly<{
  /** Null, like the address: the operator token. */
  userId: string | null;
  email: string | null;
  role: OperatorRole;
}>;
