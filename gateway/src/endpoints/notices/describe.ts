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
    notes: 'What one can be told about, the addresses that are told, and how the last notices went.',
    answers: { 200: { json: NoticesAnswer } },
  },
  [`POST ${base}/addresses`]: {
    tag,
    summary: `Add to ${whose} addresses`,
    notes:
      'Mails go to yourself or to members, webhooks and chats to an https address that is not private. The calls of a ' +
      'webhook are signed as Standard Webhooks says, with the secret of this answer.',
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
    notes: 'Thirty a day. How it went is in the log.',
    answers: { 204: {} },
    errors: ['http_409', 'http_429'],
  },
});

export const noticeDescriptions: Descriptions = {
  ...described('/api/account/notices', 'your', ['balance.low', 'key.expiring']),
  ...described('/api/orgs/:orgId/notices', "an organization's", ['balance.low', 'budget.reached']),
  ...described('/admin/v1/notices', "the operator's", ['provider.failing', 'books.differ']),
};
