// Who is calling and who pays. It is looked up once per call and never changes while the call runs.

import type { SpendCap } from './spend-cap.ts';

export type KeyType = 'standard' | 'management';

export type Caller = Readonly<{
  keyId: string;
  keyName: string;
  keyType: KeyType;
  userId: string;
  /** The account that pays: the id of the user, or of the organization for organization keys. */
  accountId: string;
  isSuspended: boolean;
  expiresAtMs: number | null;
  allowedCidrs: readonly string[];
  /** What limits this key's spending beside the balance, in the order in which it is checked. */
  caps: readonly SpendCap[];
}>;
