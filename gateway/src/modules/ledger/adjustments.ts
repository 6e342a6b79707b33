// Corrections by the operator: an adjustment up or down, once for each reference, and the refund of a call, once for
// each call. An adjustment never takes a balance below zero unless the operator says so. Processes are first asked to
// give back what they have leased and do not use, because an idle lease must not make a balance look used.

import type { Correction } from '../../canonical/credit.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { formatUsd, type NanoUsd } from '../../platform/money.ts';
import { recallSlices } from './slice-exchange.ts';
import { readAccount } from './store/accounts.ts';
import {
  type AdjustedRow,
  type AdjustmentWay,
  type CorrectedRow,
  findCharge,
  findCorrection,
  insertAdjustment,
  insertCorrection,
  insertRefund,
} from './store/adjustments.ts';
import { isArchivedCall } from './store/archive.ts';

const RECALL_MS = 100;
const RECALLS_MAX = 5;
const FOLD_PATIENCE_MS = 100;
const FOLD_TRIES_MAX = 50;
const BALANCES_TOPIC = 'balances';

type Adjustment = Readonly<{
  accountId: string;
  /** A negative amount takes money back. Never zero. */
  amountNanoUsd: NanoUsd;
  reason: string;
  /** Unique within the account. */
  reference: string;
  mayGoBelowZero: boolean;
}>;

type Adjusted = Readonly<{ balanceNanoUsd: NanoUsd; entryId: bigint }>;
type Refunded = Adjusted & Readonly<{ accountId: string; refundedNanoUsd: NanoUsd }>;

export type Adjustments = Readonly<{
  /** 409 when the account cannot carry it, or the reference was used for something else. */
  adjust(adjustment: Adjustment): Promise<Adjusted>;
  /** 404 for a call that was never charged. Repeated, it answers what was done the first time. */
  refund(generationId: string, reason: string): Promise<Refunded>;
}>;

type Parts = Readonly<{ database: Database; notices: Notices; clock: Clock }>;

export const createAdjustments = (parts: Parts): Adjustments => ({
  async adjust(adjustment) {
    const { accountId, amountNanoUsd } = adjustment;
    assert(amountNanoUsd !== 0n, 'an adjustment moves something');
    const reference = `adjustment:${accountId}:${adjustment.reference}`;
    const row = await insertWhenFree(parts, adjustment, reference);
    if (row === null) throw new ApiError('http_404', 'There is no such account.');
    const entryId = row.entryId ?? (await earlier(parts, adjustment, { reference, row }));
    await parts.notices.publish(adjustment.mayGoBelowZero ? RECLAIMS_TOPIC : BALANCES_TOPIC, accountId);
    return { entryId, balanceNanoUsd: await balanceOf(parts, accountId) };
  },
  async refund(generationId, reason) {
    const { database, notices, clock } = parts;
    const charge = await findCharge(database, generationId);
    if (charge === null && (await isArchivedCall(database, generationId))) {
      throw new ApiError('http_409', 'The charges of that time are archived. Adjust the balance instead.');
    }
    if (charge === null) throw new ApiError('http_404', 'There is no charge for such a call.');
    const { accountId } = charge;
    let row = await insertRefund(database, { accountId, generationId, reason });
    for (let tries = 0; !row.isFolded && tries < FOLD_TRIES_MAX; tries += 1) {
      await clock.sleep(FOLD_PATIENCE_MS);
      row = await insertRefund(database, { accountId, generationId, reason });
    }
    if (!row.isFolded) throw new ApiError('http_503', 'The charge is not in the books yet. Try again in a moment.');
    const entryId = row.entryId ?? (await findCorrection(database, 'refund', generationId))?.entryId;
    assert(entryId !== undefined, 'a refund that was not made was made before');
    await notices.publish(BALANCES_TOPIC, accountId);
    const balanceNanoUsd = await balanceOf(parts, accountId);
    return { accountId, entryId, balanceNanoUsd, refundedNanoUsd: charge.amountNanoUsd };
  },
});

async function insertWhenFree(
  { database, notices, clock }: Parts,
  { accountId, amountNanoUsd, reason, mayGoBelowZero }: Adjustment,
  reference: string,
): Promise<AdjustedRow | null> {
  const way: AdjustmentWay = amountNanoUsd > 0n ? 'give' : mayGoBelowZero ? 'takeBelowZero' : 'take';
  const amount = amountNanoUsd > 0n ? amountNanoUsd : -amountNanoUsd;
  const insert = () => insertAdjustment(database, { accountId, way, amountNanoUsd: amount, reference, reason });
  let row = await insert();
  for (let recalls = 0; way === 'take' && recalls < RECALLS_MAX; recalls += 1) {
    if (row === null || row.isFit || row.balanceNanoUsd < amount) return row;
    await recallSlices(notices, accountId);
    await clock.sleep(RECALL_MS);
    row = await insert();
  }
  return row;
}

type Refused = Readonly<{ reference: string; row: AdjustedRow }>;

/** The entry that the same adjustment made before; throws when it is another one, or when there is none. */
async function earlier({ database }: Parts, adjustment: Adjustment, { reference, row }: Refused): Promise<bigint> {
  const found = await findCorrection(database, 'adjustment', reference);
  if (found !== null) {
    if (found.amountNanoUsd === adjustment.amountNanoUsd) return found.entryId;
    const before = `${formatUsd(found.amountNanoUsd)} USD`;
    throw new ApiError('http_409', `This reference was already used for an adjustment of ${before}. Use a new one.`);
  }
  throw new ApiError('http_409', refusalOf(adjustment, row.balanceNanoUsd));
}

function refusalOf({ amountNanoUsd, mayGoBelowZero }: Adjustment, balanceNanoUsd: NanoUsd): string {
  if (amountNanoUsd > 0n) return 'The account would have more credit than an account can have.';
  if (mayGoBelowZero) return 'More cannot be taken back than was ever credited.';
  const balance = `The balance is ${formatUsd(balanceNanoUsd)} USD`;
  if (balanceNanoUsd < -amountNanoUsd) return `${balance}: this would take it below zero. Take back less.`;
  return `${balance}, but calls that are running hold a part of it. Try again when they have ended.`;
}

async function balanceOf({ database }: Parts, accountId: string): Promise<NanoUsd> {
  return (await readAccount(database, accountId))?.balanceNanoUsd ?? 0n;
}

// Credit that is taken back with its payment, or restored with it. The caller writes it in its own transaction; after
// the commit it tells the processes, which have leased parts of the account and must ask again.

export const RECLAIMS_TOPIC = 'reclaims';

type Corrections = Readonly<{
  /** Once for each reference; null when it was made before. */
  correct(transaction: Queryable, correction: Correction): Promise<CorrectedRow | null>;
  /** To be called after the commit. */
  tell(accountId: string): Promise<void>;
}>;

export const createCorrections = (notices: Notices): Corrections => ({
  correct(transaction, correction) {
    assert(correction.amountNanoUsd > 0n, 'a correction moves something');
    return insertCorrection(transaction, correction);
  },
  tell: (accountId) => notices.publish(RECLAIMS_TOPIC, accountId),
});
