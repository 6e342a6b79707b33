// Who is calling and who pays. It is looked up once per call and does not change while the call runs.

import type { AllowedModels } from './allowed-models.ts';
import type { SpendCap } from './spend-cap.ts';

export type KeyType = 'standard' | 'management';

/** What a student's session may use in all, besides money; null for no limit. */
type StudentAllowance = Readonly<{ requestsMax: number | null; tokensMax: number | null }>;

/** The settings of a key and its organization for the cache of answers. */
export type CacheRules = Readonly<{
  /** For calls that do not set it themselves; null: no caching. */
  ttlSeconds: number | null;
  /** No caching, whatever a call asks for. */
  isForbidden: boolean;
  /** All members of the organization may get the same answers. */
  isShared: boolean;
  /** Changes when the cache is emptied. */
  epoch: number;
}>;

/** How an organization keeps transcripts of the calls of its keys. */
export type TranscriptRules = Readonly<{
  days: number;
  /** The share of calls that are kept, from 0 to 1. */
  sampleShare: number;
}>;

export type Caller = Readonly<{
  /** For a student's session, the session's id. */
  keyId: string;
  keyType: KeyType;
  userId: string;
  /** The account that pays: the id of the user, or of the organization for organization keys. */
  accountId: string;
  isSuspended: boolean;
  expiresAtMs: number | null;
  allowedCidrs: readonly string[];
  /** Calls beyond the quota of a free model go on at the paid price; without it they are refused. */
  hasFreeFallback: boolean;
  /** The models that an organization allows this key; null for every model. */
  allowedModels: AllowedModels | null;
  /** The caps on this key's spending, in the order in which they are checked. */
  caps: readonly SpendCap[];
  /** Absent where neither the key nor its organization has a setting. */
  cache?: CacheRules;
  /** Absent where no transcripts are kept. */
  transcripts?: TranscriptRules;
  /** Only for a student's session, which may call only the routes marked for students. */
  student?: StudentAllowance;
}>;

// A manager: a person with a session, or the holder of a key. Unlike a caller it never pays for a call; its membership
// decides what it may do inside an organization.

export type Principal = Readonly<{
  userId: string;
  /** What the credential belongs to: the organization of an organization's key, else the person's own account. */
  accountId: string;
  credential: 'key' | 'session';
  /** Whether a session was opened with a second factor; for a key that was decided when it was made. */
  hasSecondFactor: boolean;
  /** The organization whose issuer authenticated the session; null for none. */
  signOnOrgId: string | null;
  /** The caller behind a key; a session has none. */
  caller: Caller | null;
}>;

// An operator: the holder of the operator token, or a person with a role. Each role may do everything that the roles
// before it may.

export type OperatorRole = 'read_only' | 'support' | 'owner';

export const OPERATOR_ROLES: readonly OperatorRole[] = ['read_only', 'support', 'owner'];

export const includesRole = (role: OperatorRole, least: OperatorRole): boolean =>
  OPERATOR_ROLES.indexOf(role) >= OPERATOR_ROLES.indexOf(least);

export type ActingOperator = Readonly<{
  /** Null, like the address, for the operator token. */
  userId: string | null;
  email: string | null;
  role: OperatorRole;
}>;
