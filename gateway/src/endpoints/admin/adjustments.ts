// POST /admin/v1/users/:id/adjustments and /admin/v1/orgs/:id/adjustments: the operator gives or takes back credit,
// with a reason. POST /admin/v1/generations/:id/refund gives back a call's charge.

import { type AdjustedAnswer, AdjustmentBody, RefundBody, type RefundedAnswer } from '../../contract/adjustments.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Adjustments } from '../../modules/ledger/adjustments.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import { newId } from '../../platform/ids.ts';
import { type NanoUsd, parseUsdJson, usdNumber } from '../../platform/money.ts';
import { plainId } from '../account/generation.ts';
import { bodyReader } from '../read-body.ts';
import { knownOrg, knownUser } from './known-user.ts';

type AdjustmentServices = Readonly<{
  identity: Identity;
  organizations: Pick<Organizations, 'find'>;
  adjustments: Adjustments;
}>;

export const adjustUser = (services: AdjustmentServices): Handler =>
  adjustAccount(services, (exchange) => knownUser(exchange, services.identity));

export const adjustOrg = (services: AdjustmentServices): Handler =>
  adjustAccount(services, (exchange) => knownOrg(exchange, services.organizations));

function adjustAccount(
  { adjustments }: AdjustmentServices,
  find: (exchange: Exchange) => Promise<Readonly<{ id: string }>>,
): Handler {
  const readBody = bodyReader(AdjustmentBody);
  return async (exchange) => {
    const { amountUsd, reason, reference, allowBelowZero } = await readBody(exchange);
    const amountNanoUsd = signedAmount(amountUsd);
    const { id } = await find(exchange);
    const { balanceNanoUsd, entryId } = await adjustments.adjust({
      accountId: id,
      amountNanoUsd,
      reason,
      reference: reference ?? newId('txn'),
      mayGoBelowZero: allowBelowZero === true && amountNanoUsd < 0n,
    });
    const answer: AdjustedAnswer = { balanceUsd: usdNumber(balanceNanoUsd), entryId: String(entryId) };
    sendJson(exchange, 200, answer);
  };
}

export function refundGeneration({ adjustments }: AdjustmentServices): Handler {
  const readBody = bodyReader(RefundBody);
  return async (exchange) => {
    const { reason } = await readBody(exchange);
    const id = plainId(exchange.params.id ?? '');
    const refunded = await adjustments.refund(id, reason);
    const answer: RefundedAnswer = {
      accountId: refunded.accountId,
      refundedUsd: usdNumber(refunded.refundedNanoUsd),
      balanceUsd: usdNumber(refunded.balanceNanoUsd),
      entryId: String(refunded.entryId),
    };
    sendJson(exchange, 200, answer);
  };
}

/** Reads the sign; the rest is read like every amount. */
function signedAmount(value: number | string): NanoUsd {
  const isBelowZero = typeof value === 'string' ? value.startsWith('-') : value < 0;
  const size = typeof value === 'string' ? value.replace(/^-/, '') : Math.abs(value);
  const amountNanoUsd = parseUsdJson(size);
  if (amountNanoUsd !== null && amountNanoUsd > 0n) return isBelowZero ? -amountNanoUsd : amountNanoUsd;
  throw new ApiError('http_400', 'amountUsd: must be an amount in USD, not zero, with at most nine decimals.');
}
