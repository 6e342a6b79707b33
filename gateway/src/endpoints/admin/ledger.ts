// GET /admin/v1/ledger/check: whether the books balance, recomputed from every entry.

import type { LedgerCheckAnswer } from '../../contract/admin.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';

export const checkLedger =
  (ledger: Pick<Ledger, 'check'>): Handler =>
  async (exchange) => {
    const answer: LedgerCheckAnswer = await ledger.check();
    sendJson(exchange, 200, answer);
  };
