// Who is told: a person, an organization, or whoever runs the gateway. Their addresses and notices never mix.

import type { NoticeKind, NoticeOwnerKind } from '../../contract/notices.ts';

export type NoticeOwner = Readonly<{
  kind: NoticeOwnerKind;
  /** Empty for the operator. */
  id: string;
}>;

export const OPERATOR: NoticeOwner = { kind: 'operator', id: '' };

/** Of a person's own account and of an organization's. */
export const ownerOfAccount = (accountId: string): NoticeOwner => ({
  kind: accountId.startsWith('org-') ? 'org' : 'user',
  id: accountId,
});

/** Plain values that a program can read and `words.ts` puts into a sentence. */
export type NoticeFacts = Readonly<Record<string, string | number | null>>;

export type Cause = Readonly<{
  owner: NoticeOwner;
  kind: NoticeKind | 'test';
  /** What happened once has one name, whoever sees it. */
  cause: string;
  facts: NoticeFacts;
  /** For one address alone. */
  addressId?: string;
}>;
