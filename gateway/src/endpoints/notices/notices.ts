// The addresses of notices and their deliveries: the same handlers for a person, an organization and the operator. The
// routes decide the owner; nobody sees or changes another owner's.

import {
  ChangeNoticeAddressBody,
  type NewNoticeAddressAnswer,
  NewNoticeAddressBody,
  NOTICE_KINDS,
  type NoticeAddressObject,
  type NoticesAnswer,
} from '../../contract/notices.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { NoticeAddress, NoticeAddresses, OnAddressChanged } from '../../modules/notices/addresses.ts';
import type { NoticeOwner } from '../../modules/notices/owner.ts';
import { wordsOf } from '../../modules/notices/words.ts';
import { usdNumber } from '../../platform/money.ts';
import { bodyReader } from '../read-body.ts';
import { given, usdField } from '../request-fields.ts';

export type NoticeServices = Readonly<{ noticeAddresses: NoticeAddresses }>;

/** The owner of the addresses, and what is called on a change. */
type OwnedBy = Readonly<{ owner: NoticeOwner; onChanged: OnAddressChanged }>;
export type OwnerHandler = (exchange: Exchange, by: OwnedBy) => Promise<void>;

export const listNotices =
  ({ noticeAddresses }: NoticeServices): OwnerHandler =>
  async (exchange, { owner }) => {
    const [addresses, log] = await Promise.all([noticeAddresses.list(owner), noticeAddresses.log(owner)]);
    const answer: NoticesAnswer = {
      kinds: NOTICE_KINDS[owner.kind],
      addresses: addresses.map(addressObject),
      log: log.map(({ facts, createdAt, endedAt, ...entry }) => ({
        ...entry,
        title: wordsOf(entry.kind, facts).title,
        createdAt: createdAt.toISOString(),
        endedAt: endedAt?.toISOString() ?? null,
      })),
    };
    sendJson(exchange, 200, answer);
  };

export function createNoticeAddress({ noticeAddresses }: NoticeServices): OwnerHandler {
  const readBody = bodyReader(NewNoticeAddressBody);
  return async (exchange, { owner, onChanged }) => {
    const { channel, target = null, kinds, lowBalanceUsd } = await readBody(exchange);
    const lowBalanceNanoUsd = usdField('lowBalanceUsd', lowBalanceUsd) ?? null;
    const wish = { channel, target, kinds, lowBalanceNanoUsd };
    const { address, secret } = await noticeAddresses.create(owner, wish, onChanged);
    const answer: NewNoticeAddressAnswer = { ...addressObject(address), secret };
    sendJson(exchange, 201, answer);
  };
}

export function changeNoticeAddress({ noticeAddresses }: NoticeServices): OwnerHandler {
  const readBody = bodyReader(ChangeNoticeAddressBody);
  return async (exchange, { owner, onChanged }) => {
    const { kinds, lowBalanceUsd, enabled } = await readBody(exchange);
    const lowBalanceNanoUsd = usdField('lowBalanceUsd', lowBalanceUsd);
    const change = given({ kinds, lowBalanceNanoUsd, isEnabled: enabled });
    const address = await noticeAddresses.change(owner, exchange.params.addressId ?? '', change, onChanged);
    sendJson(exchange, 200, addressObject(address));
  };
}

export const deleteNoticeAddress =
  ({ noticeAddresses }: NoticeServices): OwnerHandler =>
  async (exchange, { owner, onChanged }) => {
    await noticeAddresses.remove(owner, exchange.params.addressId ?? '', onChanged);
    sendEmpty(exchange, 204);
  };

export const testNoticeAddress =
  ({ noticeAddresses }: NoticeServices): OwnerHandler =>
  async (exchange, { owner }) => {
    await noticeAddresses.test(owner, exchange.params.addressId ?? '');
    sendEmpty(exchange, 204);
  };

export const addressObject = (address: NoticeAddress): NoticeAddressObject => ({
  id: address.id,
  channel: address.channel,
  shown: address.shown,
  kinds: address.kinds,
  lowBalanceUsd: address.lowBalanceNanoUsd === null ? null : usdNumber(address.lowBalanceNanoUsd),
  enabled: address.isEnabled,
  createdAt: address.createdAt.toISOString(),
});
