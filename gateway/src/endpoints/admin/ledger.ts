// GET /admin/v1/ledger/check: whether the books balance. A check recomputes everything since the last sealed month
// where that is little or asked for, otherwise it goes on where the last one ended; or it recomputes a closed month
// from its entries. /admin/v1/ledger/months: the closed months, their content, and archiving them to a file that the
// caller has made.

import type { LedgerCheckAnswer } from '../../contract/admin.ts';
import {
  ArchiveBody,
  type ArchivedAnswer,
  type LedgerCheckpoints,
  type LedgerLines,
  type LedgerMonthList,
} from '../../contract/ledger.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Books } from '../../modules/ledger/books.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { readPage } from '../page.ts';
import { bodyReader } from '../read-body.ts';

type LedgerServices = Readonly<{ ledger: Pick<Ledger, 'check'>; books: Books }>;

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export const checkLedger =
  ({ ledger, books }: LedgerServices): Handler =>
  async (exchange) => {
    const query = new URLSearchParams(exchange.queryText);
    const month = query.get('month');
    sendJson(
      exchange,
      200,
      month === null ? await checkOpen(ledger, scopeOf(query.get('full'))) : await checkMonth(books, month),
    );
  };

type Scope = Parameters<LedgerServices['ledger']['check']>[0];

function scopeOf(full: string | null): Scope {
  if (full === null) return 'usual';
  if (full !== 'true' && full !== 'false') throw new ApiError('http_400', 'full: must be true or false.');
  return full === 'true' ? 'everything' : 'new';
}

async function checkOpen(ledger: LedgerServices['ledger'], scope: Scope): Promise<LedgerCheckAnswer> {
  const { everythingAt, ...check } = await ledger.check(scope);
  return { ...check, everythingAt: everythingAt?.toISOString() ?? null };
}

async function checkMonth(books: Books, month: string): Promise<LedgerCheckAnswer> {
  if (!MONTH.test(month)) throw new ApiError('http_400', 'month: must be a month, YYYY-MM.');
  const audit = await books.checkMonth(`${month}-01`);
  if (audit === null) {
    throw new ApiError(
      'http_400',
      `month: ${month} is not closed. A check without a month covers everything that is not closed.`,
    );
  }
  if (audit === 'archived') {
    throw new ApiError('http_400', `month: ${month} is archived. Check it with its file: ledger check --month --file.`);
  }
  return { ok: audit.discrepancies.length === 0, month, heldReservations: 0, ...audit };
}

export const listLedgerMonths =
  ({ books }: LedgerServices): Handler =>
  async (exchange) => {
    const months = await books.months();
    const answer: LedgerMonthList = {
      months: months.map(({ month, entries, sealedAt, archiveSha256, archivedAt }) => ({
        ...{ month, entries: Number(entries), sealedAt: sealedAt.toISOString() },
        ...{ archiveSha256, archivedAt: archivedAt?.toISOString() ?? null },
      })),
    };
    sendJson(exchange, 200, answer);
  };

export const listLedgerLines =
  ({ books }: LedgerServices): Handler =>
  async (exchange) => {
    const { after } = readPage(new URLSearchParams(exchange.queryText));
    if (after !== null && !/^\d{1,18}$/.test(after))
      throw new ApiError('http_400', 'after: must be the next of a page.');
    const page = await books.lines(monthOf(exchange), after === null ? null : BigInt(after));
    if (page === null) throw new ApiError('http_404', 'This month is not sealed.');
    const answer: LedgerLines = { lines: page.lines, next: page.nextId?.toString() ?? null };
    sendJson(exchange, 200, answer);
  };

export const listLedgerCheckpoints =
  ({ books }: LedgerServices): Handler =>
  async (exchange) => {
    const { after } = readPage(new URLSearchParams(exchange.queryText));
    const answer: LedgerCheckpoints = await books.checkpoints(monthOf(exchange), after ?? '');
    sendJson(exchange, 200, answer);
  };

export function archiveLedgerMonth({ books }: LedgerServices): Handler {
  const readBody = bodyReader(ArchiveBody);
  return async (exchange) => {
    const { sha256 } = await readBody(exchange);
    const answer: ArchivedAnswer = await books.archive(monthOf(exchange), sha256);
    sendJson(exchange, 200, answer);
  };
}

/** The month in the path, as its first day. */
function monthOf(exchange: Exchange): string {
  const month = exchange.params.month ?? '';
  if (!MONTH.test(month)) throw new ApiError('http_404', 'There is no such month: name it as 2026-01.');
  return `${month}-01`;
}
