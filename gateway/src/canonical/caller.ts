// Who is calling and who pays. It is looked up once per call and never changes while the call runs.

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
}>;
