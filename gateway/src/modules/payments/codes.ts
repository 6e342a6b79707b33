// Codes for credit. A code is claimed for an account before its credit is entered, and the code's id is the reference
// of the credit: a redemption that was cut off and is repeated credits once, and only the same account can repeat it.

import type { CreditLedger } from '../../canonical/credit.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { hashCode, newCodeText, plainCode } from './code-text.ts';
import { type BatchRow, claimCode, insertBatch, listBatches, voidBatch } from './store/codes.ts';

export type CodeBatch = BatchRow;
type NewCodes = Readonly<{ count: number; amountNanoUsd: NanoUsd; note: string; expiresAtMs: number | null }>;
type Redeemer = Readonly<{ accountId: string; userId: string }>;
type Redeemed = Readonly<{ amountNanoUsd: NanoUsd; balanceNanoUsd: NanoUsd; isRepeated: boolean }>;

export type CreditCodes = Readonly<{
  /** Only this answer contains the codes. */
  make(codes: NewCodes): Promise<Readonly<{ batchId: string; codes: readonly string[] }>>;
  list(after: string | null, limit: number): Promise<readonly CodeBatch[]>;
  /** Unused codes of the batch become void. False when there is no such batch. */
  voidBatch(batchId: string): Promise<boolean>;
  /** Null for anything but a code that this account can redeem, whatever the reason. */
  redeem(text: string, redeemer: Redeemer): Promise<Redeemed | null>;
}>;

type Parts = Readonly<{
  database: Database;
  clock: Clock;
  pepper: Buffer;
  ledger: CreditLedger;
}>;

export const createCreditCodes = ({ database, clock, pepper, ledger }: Parts): CreditCodes => ({
  async make({ count, amountNanoUsd, note, expiresAtMs }) {
    if (expiresAtMs !== null && expiresAtMs <= clock.nowMs()) {
      throw new ApiError('http_400', 'expiresAt: must be in the future.');
    }
    const texts = Array.from({ length: count }, newCodeText);
    const codes = texts.map((text) => ({ hash: hashCode(pepper, plainCode(text) ?? ''), id: newId('cod') }));
    const id = newId('cob');
    const expiresAt = expiresAtMs === null ? null : new Date(expiresAtMs);
    await insertBatch(database, { id, amountNanoUsd, note, expiresAt, codes });
    return { batchId: id, codes: texts };
  },
  list: (after, limit) => listBatches(database, after, limit),
  voidBatch: (batchId) => voidBatch(database, batchId, new Date(clock.nowMs())),
  async redeem(text, { accountId, userId }) {
    const plain = plainCode(text);
    if (plain === null) return null;
    const at = new Date(clock.nowMs());
    const claimed = await claimCode(database, { hash: hashCode(pepper, plain), accountId, userId, at });
    if (claimed === null) return null;
    const { id, amountNanoUsd, note, isRepeated } = claimed;
    const reference = `code:${id}`;
    const balanceNanoUsd = await ledger.credit({ accountId, amountNanoUsd, note: note || 'Redeemed code', reference });
    return { amountNanoUsd, balanceNanoUsd, isRepeated };
  },
});
