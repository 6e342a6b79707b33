// Delivers notices: mails through the mail queue, everything else by a request to an address that a stranger named. An
// address that does not answer is tried again for some hours and then given up.

import type { Clock } from '../../platform/clock.ts';
import { open, type SealingKey } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { isPlainAddress } from '../../platform/mail/message.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { CLAIM_MS, createPacedCalls, FORBIDDEN, type PacedCalls, tell } from '../../platform/outbound/paced-calls.ts';
import { webhookHeaders } from '../../platform/outbound/sign-webhook.ts';
import { targetPlace } from './addresses.ts';
import { claimDeliveries, type DeliveryRow, endDelivery, postponeDelivery } from './store/notices.ts';
import { mailWordsOf, wordsOf } from './words.ts';

/** The wait after each failed attempt. After the last wait one more attempt is made. */
const WAITS_MS = [10_000, 60_000, 600_000, 3_600_000, 21_600_000];

type NoticeDeliveryOptions = Readonly<{
  database: Database;
  outbound: Pick<Outbound, 'request'>;
  purpose: AddressPurpose;
  mailer: Mailer;
  /** Derived for this purpose alone. */
  secretKey: SealingKey;
  siteUrl(): string;
  clock: Clock;
  logger: Logger;
}>;

export function createDeliveries(options: NoticeDeliveryOptions): PacedCalls {
  const { database, clock, logger } = options;
  return createPacedCalls<DeliveryRow>({
    clock,
    claim(limit, busy) {
      const nowMs = clock.nowMs();
      return claimDeliveries(database, { nowMs, againAtMs: nowMs + CLAIM_MS, limit, busy });
    },
    send: (row) => deliver(row, options),
    onUnrecorded({ noticeId }, error) {
      logger.warn({ noticeId, error: asError(error) }, 'a notice could not be recorded');
    },
  });
}

/** What waits for an address that was switched off meanwhile is not sent any more. */
function deliver(row: DeliveryRow, options: NoticeDeliveryOptions): Promise<void> {
  const { database, clock } = options;
  if (!row.isEnabled) {
    return endDelivery(database, row, { state: 'given_up', atMs: clock.nowMs(), failure: 'switched off' });
  }
  return row.channel === 'mail' ? mail(row, options) : call(row, options);
}

/** A mail that is queued counts as delivered here: the mail queue itself tries for a day. */
async function mail(row: DeliveryRow, options: NoticeDeliveryOptions): Promise<void> {
  const { database, clock } = options;
  const to = row.recipientId === null ? openTarget(row, options) : row.email;
  const { title, text } = mailWordsOf(row.kind, row.facts);
  const atMs = clock.nowMs();
  // The mail queue takes nothing else, and the address would be the same at the next attempt.
  if (to === null || !isPlainAddress(to)) {
    const failure = to === null ? 'no recipient' : 'no mail address';
    await endDelivery(database, row, { state: 'given_up', atMs, failure });
    return;
  }
  const footer = `\n\nYou chose to be told this at ${options.siteUrl()}/console${pageOf(row.ownerKind)}.\n`;
  await database.transaction(async (transaction) => {
    await options.mailer.send({ to, subject: title, text: text + footer }, transaction);
    await endDelivery(transaction, row, { state: 'sent', atMs, failure: null });
  });
}

const pageOf = (owner: DeliveryRow['ownerKind']): string =>
  ({ user: '/notices', org: ', in the organization', operator: '/operator/notices' })[owner];

async function call(row: DeliveryRow, options: NoticeDeliveryOptions): Promise<void> {
  const { database, clock, logger } = options;
  const failure = await callOnce(row, options);
  const atMs = clock.nowMs();
  if (failure === null) {
    await endDelivery(database, row, { state: 'sent', atMs, failure });
    return;
  }
  const { noticeId, attempts } = row;
  const waitMs = WAITS_MS[attempts - 1];
  const isHopeless = failure === FORBIDDEN || waitMs === undefined;
  // The address stays out of the log, because it may contain a secret of its owner.
  logger.warn(
    { noticeId, attempts, failure },
    isHopeless ? 'a notice was given up' : 'a notice could not be delivered yet',
  );
  if (isHopeless) await endDelivery(database, row, { state: 'given_up', atMs, failure });
  else await postponeDelivery(database, row, { untilMs: atMs + waitMs, failure });
}

async function callOnce(row: DeliveryRow, options: NoticeDeliveryOptions): Promise<string | null> {
  const url = openTarget(row, options);
  if (url === null) return FORBIDDEN;
  const body = bodyOf(row);
  const secret =
    row.secret === null ? null : open(options.secretKey, row.secret, `${targetPlace(row.addressId)} secret`);
  if (row.channel === 'webhook' && secret === null) return FORBIDDEN;
  const sentAtMs = options.clock.nowMs();
  const signed = secret === null ? [] : webhookHeaders(secret, { id: row.noticeId, sentAtMs, body });
  const headers = ['content-type', 'application/json', ...signed];
  return tell(options.outbound, { url, purpose: options.purpose, headers, body });
}

function bodyOf({ channel, kind, facts, createdAt }: DeliveryRow): string {
  const { title, text } = wordsOf(kind, facts);
  if (channel === 'slack') return JSON.stringify({ text: `*${escapeChat(title)}*\n${escapeChat(text)}` });
  return JSON.stringify({ type: kind, timestamp: createdAt.toISOString(), data: { ...facts, title, text } });
}

/** Escapes the three characters that chats use for mentions and links, so that a name cannot call a whole channel. */
const escapeChat = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const openTarget = ({ target, addressId }: DeliveryRow, { secretKey }: NoticeDeliveryOptions): string | null =>
  target === null ? null : open(secretKey, target, targetPlace(addressId));
