// GET /v1/credits: everything that was ever paid in and spent; the balance is the difference.

import type { CreditsAnswer } from '../../contract/account.ts';
import { sendJson } from '../../http/respond.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { usdNumber } from '../../platform/money.ts';
import type { AccountHandler } from '../protect.ts';

export const readCredits =
  (ledger: Pick<Ledger, 'account'>): AccountHandler =>
  async (exchange, holder) => {
    const account = await ledger.account(holder.accountId);
    const answer: CreditsAnswer = {
      data: {
        total_credits: usdNumber(account.totalCreditedNanoUsd),
        total_usage: usdNumber(account.totalSpentNanoUsd),
      },
    };
    sendJson(exchange, 200, answer);
  };
