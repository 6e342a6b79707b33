// Who gets notices: a person, an organization, or the operator. Their addresses and notices never mix.

import type { NoticeKind, NoticeOwnerKind } from '../../contract/notices.ts';

export type NoticeOwner = Readonly<{
  kind: NoticeOwnerKind;
  /** Empty for the operator. */
  id: string;
}>;

export const OPERATOR: NoticeOwner = { kind: 'operator', id: '' };

/** The owner of an account: a person or an organization. */
export const ownerOfAccount = (accountId: string): NoticeOwner => ({
  kind: accountId.startsWith('org-') ? 'org' : 'user',
  id: accountId,
});

/** Plain values that a program can read and that `words.ts` puts into a sentence. */
export type NoticeFacts = Readonly<Record<string, string | number | null>>;

export type Cause = Readonly<{
  owner: NoticeOwner;
  kind: NoticeKind | 'test';
  /** Unique for each event, whichever process sees it. */
  cause: string;
  facts: NoticeFacts;
  /** For this address only. */
  addressId?: string;
}>;
