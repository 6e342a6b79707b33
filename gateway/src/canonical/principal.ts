// Who manages: a person with a session, or whoever holds a key. Unlike a caller it never pays for a call; what it may
// do inside an organization is decided by its membership there, not by this value.

import type { Caller } from './caller.ts';

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
