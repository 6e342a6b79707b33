// GET /admin/v1/ledger/check: whether the books balance. Without a month everything is recomputed from the last sealed
// month on; with one, that closed month from its entries.

import type { LedgerCheckAnswer } from '../../contract/admin.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Books } from '../../modules/ledger/books.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';

export type LedgerServices = Readonly<{ ledger: Pick<Ledger, 'check'>; books: Pick<Books, 'checkMonth'> }>;

const MONTH = /^\d{4}-(?:0[1-9]|1[0-2])$/;

export const checkLedger =
  ({ ledger, books }: LedgerServices): Handler =>
  async (exchange) => {
    const month = new URLSearchParams(exchange.queryText).get('month');
    const answer: LedgerCheckAnswer = month === null ? await ledger.check() : await checkMonth(books, month);
    sendJson(exchange, 200, answer);
  };

async function checkMonth(books: LedgerServices['books'], month: string): Promise<LedgerCheckAnswer> {
  if (!MONTH.test(month)) throw new ApiError('http_400', 'month: must be a month, YYYY-MM.');
  const audit = await books.checkMonth(`${month}-01`);
  if (audit === null) {
    throw new ApiError(
      'http_400',
      `month: ${month} is not closed. A check without a month has all that is not closed.`,
    );
  }
  return { ok: audit.discrepancies.length === 0, month, heldReservations: 0, ...audit };
}
