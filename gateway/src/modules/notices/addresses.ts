// The addresses of notices. A mail goes only to people who are known here, the owner or a member of the organization;
// otherwise strangers' mailboxes could be filled in our name. The operator may name any address.

import { DAY_MS } from '../../canonical/calendar.ts';
import { NOTICE_KINDS, type NoticeChannel } from '../../contract/notices.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { type SealingKey, seal } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { ForbiddenUrlError } from '../../platform/outbound/outbound-error.ts';
import { newWebhookSecret } from '../../platform/outbound/sign-webhook.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import { PER_DAY_MAX } from './notices.ts';
import type { NoticeOwner } from './owner.ts';
import * as store from './store/addresses.ts';
import { countTests, type LogRow, raiseNotices, readLog } from './store/notices.ts';

const ADDRESSES_MAX = 20;
const TESTS_PER_DAY_MAX = 30;
const LOG_LENGTH = 50;

/** A target is sealed for its own row, and cannot be opened in another. */
export const targetPlace = (addressId: string): string => `notice ${addressId}`;

export type NoticeAddress = store.AddressRow;
type NewNoticeAddress = Readonly<{
  channel: NoticeChannel;
  target: string | null;
  kinds: readonly string[];
  lowBalanceNanoUsd: NanoUsd | null;
}>;
type NoticeAddressChange = Partial<Pick<NoticeAddress, 'kinds' | 'lowBalanceNanoUsd' | 'isEnabled'>>;

/** Runs in the transaction of the change. */
export type OnAddressChanged = (
  transaction: Queryable,
  change: Readonly<{ before: NoticeAddress | null; after: NoticeAddress | null }>,
) => Promise<void>;

export type NoticeAddresses = Readonly<{
  list(owner: NoticeOwner): Promise<readonly NoticeAddress[]>;
  /** The newest first. */
  log(owner: NoticeOwner): Promise<readonly LogRow[]>;
  create(
    owner: NoticeOwner,
    address: NewNoticeAddress,
    onChanged: OnAddressChanged,
  ): Promise<Readonly<{ address: NoticeAddress; secret: string | null }>>;
  change(
    owner: NoticeOwner,
    id: string,
    change: NoticeAddressChange,
    onChanged: OnAddressChanged,
  ): Promise<NoticeAddress>;
  remove(owner: NoticeOwner, id: string, onChanged: OnAddressChanged): Promise<void>;
  /** Sends a test notice to the address. */
  test(owner: NoticeOwner, id: string): Promise<void>;
}>;

type NoticeAddressesOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'checkUrl'>;
  purpose: AddressPurpose;
  /** Null for text that is not a mail address. */
  normalizeEmail(text: string): string | null;
  secretKey: SealingKey;
  clock: Clock;
}>;

export function createNoticeAddresses(options: NoticeAddressesOptions): NoticeAddresses {
  const { database, clock } = options;
  const known = async (found: Promise<NoticeAddress | null>): Promise<NoticeAddress> => {
    const address = await found;
    if (address === null) throw new ApiError('http_404', 'There is no such address for notices.');
    return address;
  };
  return {
    list: (owner) => store.listAddresses(database, owner),
    log: (owner) => readLog(database, owner, LOG_LENGTH),
    create: (owner, address, onChanged) => create(options, { owner, address, onChanged }),
    change: (owner, id, change, onChanged) =>
      database.transaction(async (transaction) => {
        const before = await known(store.lockAddress(transaction, owner, id));
        if (change.kinds !== undefined) checkKinds(owner, change.kinds);
        const after = { ...before, ...change };
        await store.changeAddress(transaction, owner, after);
        await onChanged(transaction, { before, after });
        return after;
      }),
    remove: (owner, id, onChanged) =>
      database.transaction(async (transaction) => {
        const before = await known(store.lockAddress(transaction, owner, id));
        await store.deleteAddress(transaction, owner, id);
        await onChanged(transaction, { before, after: null });
      }),
    async test(owner, id) {
      const { isEnabled } = await known(store.findAddress(database, owner, id));
      if (!isEnabled) throw new ApiError('http_409', 'This address is switched off. Switch it on first.');
      const atMs = clock.nowMs();
      const test = { owner, kind: 'test', cause: newId('ntc'), facts: {}, addressId: id } as const;
      await withRoom(database, owner.id, async (transaction) => {
        // Counted by owner, so that an address that is deleted and made again does not get a new count.
        if ((await countTests(transaction, owner, atMs - DAY_MS)) >= TESTS_PER_DAY_MAX)
          throw new ApiError('http_429', `There are ${TESTS_PER_DAY_MAX} tests a day. Try again tomorrow.`, {
            isTerminal: true,
          });
        await raiseNotices(transaction, [test], { atMs, perDayMax: PER_DAY_MAX });
      });
    },
  };
}

type Creation = Readonly<{ owner: NoticeOwner; address: NewNoticeAddress; onChanged: OnAddressChanged }>;

async function create(
  options: NoticeAddressesOptions,
  { owner, address, onChanged }: Creation,
): Promise<Readonly<{ address: NoticeAddress; secret: string | null }>> {
  const { channel, kinds, lowBalanceNanoUsd } = address;
  checkKinds(owner, kinds);
  const id = newId('adr');
  const secret = channel === 'webhook' ? newWebhookSecret() : null;
  const sealFor = (text: string, place: string): string => seal(options.secretKey, text, place);
  const { shown, target, recipientId } = await findTarget(options, owner, address);
  const row: NoticeAddress = {
    ...{ id, channel, shown, kinds: [...new Set(kinds)], lowBalanceNanoUsd },
    isEnabled: true,
    createdAt: new Date(options.clock.nowMs()),
  };
  const sealed = {
    target: target === null ? null : sealFor(target, targetPlace(id)),
    recipientId,
    secret: secret === null ? null : sealFor(secret, `${targetPlace(id)} secret`),
  };
  await withRoom(options.database, owner.id, async (transaction) => {
    if (!(await store.insertAddress(transaction, owner, { ...row, ...sealed }, ADDRESSES_MAX)))
      throw new ApiError('http_409', `There are ${ADDRESSES_MAX} addresses at most. Delete one first.`);
    await onChanged(transaction, { before: null, after: row });
  });
  return { address: row, secret };
}

function checkKinds(owner: NoticeOwner, kinds: readonly string[]): void {
  const offered: readonly string[] = NOTICE_KINDS[owner.kind];
  const unknown = kinds.find((kind) => !offered.includes(kind));
  if (unknown !== undefined) throw new ApiError('http_400', `kinds: must be among ${offered.join(', ')}.`);
}

type CheckedAddress = Readonly<{ shown: string; target: string | null; recipientId: string | null }>;

function findTarget(
  options: NoticeAddressesOptions,
  owner: NoticeOwner,
  { channel, target }: NewNoticeAddress,
): Promise<CheckedAddress> {
  if (channel === 'mail') return findMailbox(options, owner, target);
  if (target === null) throw new ApiError('missing_required_field', 'target: this field is required.');
  return checkUrl(options, target);
}

async function findMailbox(
  { database, normalizeEmail }: NoticeAddressesOptions,
  owner: NoticeOwner,
  target: string | null,
): Promise<CheckedAddress> {
  const mailbox = target === null ? null : normalizeEmail(target);
  if (owner.kind === 'operator') {
    if (mailbox === null) throw new ApiError('http_400', 'target: must be a mail address.');
    return { shown: mailbox, target: mailbox, recipientId: null };
  }
  const recipient = await store.findRecipient(database, owner, mailbox ?? '');
  if (recipient === null) throw new ApiError('http_400', 'target: must be the mail address of a member.');
  const isOther = owner.kind === 'user' && mailbox !== null && mailbox !== normalizeEmail(recipient.email);
  if (isOther) throw new ApiError('http_400', 'target: must be your own mail address.');
  return { shown: recipient.email, target: null, recipientId: recipient.id };
}

async function checkUrl({ outbound, purpose }: NoticeAddressesOptions, target: string): Promise<CheckedAddress> {
  try {
    const { host } = await outbound.checkUrl(target, { ...purpose, mustResolve: true });
    return { shown: host, target, recipientId: null };
  } catch (error) {
    if (!(error instanceof ForbiddenUrlError)) throw error;
    throw new ApiError('http_400', `target: ${error.message}.`, { cause: error });
  }
}

const sealedIn = { table: 'notice_addresses', key: { id: 'text' }, type: 'text', purposes: ['notices'] } as const;

export const sealedColumns: readonly SealedColumn[] = [
  { ...sealedIn, column: 'target', boundTo: ({ id = '' }) => targetPlace(id) },
  { ...sealedIn, column: 'secret', boundTo: ({ id = '' }) => `${targetPlace(id)} secret` },
];
