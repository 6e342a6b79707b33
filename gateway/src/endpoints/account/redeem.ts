// POST /v1/credits/redeem and /api/account/redeem: turns a code into credit of the account. Guessing is slowed down,
// and a code that never existed gets the same answer as one that another account has used.

import { RedeemBody, type RedeemedAnswer } from '../../contract/codes.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { CreditCodes } from '../../modules/payments/codes.ts';
import type { Throttle } from '../../modules/signin/throttle.ts';
import { usdNumber } from '../../platform/money.ts';
import { countGuess } from '../auth/visitor.ts';
import type { AccountHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';

type RedeemServices = Readonly<{ creditCodes: CreditCodes; throttle: Throttle }>;

export function redeemCode({ creditCodes, throttle }: RedeemServices): AccountHandler {
  const readBody = bodyReader(RedeemBody);
  return async (exchange, { accountId, userId }) => {
    const { code } = await readBody(exchange);
    const guess = { kind: 'redeem-user', subject: userId } as const;
    await countGuess(throttle, [guess]);
    const redeemed = await creditCodes.redeem(code, { accountId, userId });
    if (redeemed === null) {
      throw new ApiError(
        'http_404',
        'This code cannot be redeemed here: check its spelling, or ask the person who gave it to you.',
      );
    }
    await throttle.forgive([guess]);
    const answer: RedeemedAnswer = {
      amountUsd: usdNumber(redeemed.amountNanoUsd),
      balanceUsd: usdNumber(redeemed.balanceNanoUsd),
      repeated: redeemed.isRepeated,
    };
    sendJson(exchange, 200, answer);
  };
}
