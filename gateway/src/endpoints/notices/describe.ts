// OpenAPI descriptions of notices: the same five requests for three kinds of owner.

import {
  ChangeNoticeAddressBody,
  NewNoticeAddressAnswer,
  NewNoticeAddressBody,
  NoticeAddressObject,
  NoticesAnswer,
} from '../../contract/notices.ts';
import type { Descriptions } from '../docs/description.ts';

const tag = 'Notices';

const described = (base: string, whose: string, kinds: readonly string[]): Descriptions => ({
  [`GET ${base}`]: {
    tag,
    summary: `List ${whose} notices`,
    notes: 'The kinds of notices, the addresses that get them, and the latest notices.',
    answers: { 200: { json: NoticesAnswer } },
  },
  [`POST ${base}/addresses`]: {
    tag,
    summary: `Add to ${whose} addresses`,
    notes:
      'Mails go to yourself or to members, webhooks and chats to a public https address. Requests to a webhook are signed ' +
      'as Standard Webhooks describes, with the secret of this answer.',
    body: NewNoticeAddressBody,
    answers: { 201: { json: NewNoticeAddressAnswer } },
    errors: ['http_409'],
    example: { body: { channel: 'webhook', target: 'https://example.com/tollgate', kinds } },
  },
  [`PATCH ${base}/addresses/:addressId`]: {
    tag,
    summary: `Change one of ${whose} addresses`,
    body: ChangeNoticeAddressBody,
    answers: { 200: { json: NoticeAddressObject } },
    example: { body: { enabled: false } },
  },
  [`DELETE ${base}/addresses/:addressId`]: {
    tag,
    summary: `Delete one of ${whose} addresses`,
    answers: { 204: {} },
  },
  [`POST ${base}/addresses/:addressId/test`]: {
    tag,
    summary: `Send a test to one of ${whose} addresses`,
    notes: 'At most thirty a day. The log has the result.',
    answers: { 204: {} },
    errors: ['http_409', 'http_429'],
  },
});

export const noticeDescriptions: Descriptions = {
  ...described('/api/account/notices', 'your', ['balance.low', 'key.expiring']),
  ...described('/api/orgs/:orgId/notices', "an organization's", ['balance.low', 'budget.reached']),
  ...described('/admin/v1/notices', "the operator's", ['provider.failing', 'books.differ']),
};
