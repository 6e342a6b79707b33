// GET /admin/v1/ledger/check and GET /admin/v1/absorbed: whether the books balance, and what was not paid.

import type { AbsorbedAnswer, LedgerCheckAnswer } from '../../contract/admin.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Usage } from '../../modules/usage/usage.ts';
import { usdNumber } from '../../platform/money.ts';

export const checkLedger =
  (ledger: Pick<Ledger, 'check'>): Handler =>
  async (exchange) => {
    const answer: LedgerCheckAnswer = await ledger.check();
    sendJson(exchange, 200, answer);
  };

export const readAbsorbed =
  (usage: Usage): Handler =>
  async (exchange) => {
    const absorbed = await usage.absorbedByUser();
    const answer: AbsorbedAnswer = {
      totalUsd: usdNumber(absorbed.reduce((sum, { absorbedNanoUsd }) => sum + absorbedNanoUsd, 0n)),
      users: absorbed.map(({ userId, absorbedNanoUsd, calls }) => ({
        userId,
        absorbedUsd: usdNumber(absorbedNanoUsd),
        calls,
      })),
    };
    sendJson(exchange, 200, answer);
  };
