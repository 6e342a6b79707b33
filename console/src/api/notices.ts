// Where notices go, and how the last ones went: the same for a person, an organization and the operator.

import { queryOptions } from '@tanstack/react-query';
import type {
  ChangeNoticeAddressBody,
  NewNoticeAddressAnswer,
  NewNoticeAddressBody,
  NoticeAddressObject,
  NoticesAnswer,
} from '../../../gateway/src/contract/notices.ts';
import { OPERATOR_KEY, operate } from './operator/token.ts';
import { orgApiPath, orgKeyOf } from './orgs/organizations.ts';
import { type Method, request } from './request.ts';

export type NoticeAddress = NoticeAddressObject;
export type NewNoticeAddress = NewNoticeAddressBody;
export type NoticeEntry = NoticesAnswer['log'][number];
export type NoticesPage = NoticesAnswer;

type Ask = <Answer>(method: Method, path: string, options?: Readonly<{ body?: unknown }>) => Promise<Answer>;

const REFRESH_MS = 5_000;

function noticesOf(key: readonly string[], base: string, ask: Ask) {
  const addressPath = (id: string): string => `${base}/addresses/${encodeURIComponent(id)}`;
  return {
    query: queryOptions({
      queryKey: [...key, 'notices'],
      // How a test went is seen without asking again.
      refetchInterval: REFRESH_MS,
      queryFn: () => ask<NoticesAnswer>('GET', base),
    }),
    create: (body: NewNoticeAddressBody) => ask<NewNoticeAddressAnswer>('POST', `${base}/addresses`, { body }),
    change: (id: string, body: ChangeNoticeAddressBody) => ask<NoticeAddress>('PATCH', addressPath(id), { body }),
    remove: (id: string) => ask<void>('DELETE', addressPath(id)),
    test: (id: string) => ask<void>('POST', `${addressPath(id)}/test`, { body: {} }),
  };
}

export type NoticesApi = ReturnType<typeof noticesOf>;

export const ownNotices: NoticesApi = noticesOf(['account'], '/api/account/notices', request);
export const orgNotices = (orgId: string): NoticesApi =>
  noticesOf(orgKeyOf(orgId), orgApiPath(orgId, '/notices'), request);
export const operatorNotices: NoticesApi = noticesOf([OPERATOR_KEY], '/notices', operate);
