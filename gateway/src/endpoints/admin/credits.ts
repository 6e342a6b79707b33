// POST /admin/v1/users/:id/credits. An operator who repeats a call after a lost answer sends the same Idempotency-Key
// and credits once.

import { type BalanceAnswer, CreditBody } from '../../contract/admin.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import { newId } from '../../platform/ids.ts';
import { type NanoUsd, parseUsdJson, usdNumber } from '../../platform/money.ts';
import { bodyReader } from '../read-body.ts';
import { knownUser } from './known-user.ts';

const IDEMPOTENCY_KEY_LENGTH_MAX = 200;

type CreditServices = Readonly<{ identity: Identity; ledger: Pick<Ledger, 'credit'> }>;

export function creditUser({ identity, ledger }: CreditServices): Handler {
  const readBody = bodyReader(CreditBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const amountNanoUsd = creditAmount(body);
    const user = await knownUser(exchange, identity);
    const balance = await ledger.credit({
      accountId: user.id,
      amountNanoUsd,
      note: body.note ?? '',
      reference: creditReference(exchange, user.id),
    });
    const answer: BalanceAnswer = { balanceUsd: usdNumber(balance) };
    sendJson(exchange, 200, answer);
  };
}

export function creditAmount(body: CreditBody): NanoUsd {
  const amountNanoUsd = parseUsdJson(body.amountUsd);
  if (amountNanoUsd !== null && amountNanoUsd > 0n) return amountNanoUsd;
  throw new ApiError(
    'http_400',
    'amountUsd: must be an amount in USD above zero with at most nine decimals, up to nine billion.',
  );
}

/** References are unique in the whole ledger, so the operator's key is combined with the account. */
export function creditReference(exchange: Exchange, accountId: string): string {
  const key = exchange.request.headers['idempotency-key'];
  if (key === undefined) return newId('txn');
  if (typeof key !== 'string' || key === '' || key.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw new ApiError('http_400', `Idempotency-Key: must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters.`);
  }
  return `operator:${accountId}:${key}`;
}
