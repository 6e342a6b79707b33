// The operator's corrections: an amount that is added to an account or taken from it, and the refund of a call's
// charge. An adjustment changes what was credited, a refund what was spent. Both lock the account before they write, as
// a credit does.

import type { Correction } from '../../../canonical/credit.ts';
import { firstRow, type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { ACCOUNT_NANO_USD_MAX, AVAILABLE, LOCKED_COLUMNS, missingAfter, setFigures } from './locked-rows.ts';

const GIVEN = { balance_nano_usd: '+ i.amount_nano_usd', total_credited_nano_usd: '+ i.amount_nano_usd' };
const TAKEN = { balance_nano_usd: '- i.amount_nano_usd', total_credited_nano_usd: '- i.amount_nano_usd' };
const REFUNDED = { balance_nano_usd: '+ i.amount_nano_usd', total_spent_nano_usd: '- i.amount_nano_usd' };

const LOCKED = `SELECT ${LOCKED_COLUMNS} FROM accounts a WHERE a.id = $1 AND a.kind <> 'system' FOR UPDATE`;

/** The balance of the account now, less the charges that are not folded yet. */
const BALANCE = '(locked.balance_nano_usd - unfolded_nano_usd(locked.id))';

type Way = Readonly<{ sides: string; fits: string; figures: string }>;

const adjustText = ({ sides, fits, figures }: Way): string =>
  `WITH locked AS MATERIALIZED (${LOCKED}), judged AS MATERIALIZED (
     SELECT locked.*, (${fits}) AS is_fit, ${BALANCE} AS balance FROM locked
   ), inserted AS (
     INSERT INTO journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, note)
     SELECT ${sides}, $2::bigint, 'adjustment', $3, $4 FROM judged locked WHERE locked.is_fit
     ON CONFLICT DO NOTHING
     RETURNING id, amount_nano_usd
   ), changed AS (
     UPDATE accounts a SET ${figures} FROM inserted i CROSS JOIN judged locked WHERE a.id = locked.id
   )
   SELECT (SELECT i.id FROM inserted i) AS "entryId", j.is_fit AS "isFit", j.balance AS "balanceNanoUsd" FROM judged j`;

// No more than was ever credited can be taken back, whatever else is allowed.
const CREDITED = 'locked.total_credited_nano_usd >= $2::bigint';

const statements = {
  give: sql(
    'ledger_adjust_up',
    adjustText({
      sides: "'system-funding', locked.id",
      fits: `locked.total_credited_nano_usd <= ${ACCOUNT_NANO_USD_MAX} - locked.credit_line_nano_usd - $2::bigint`,
      figures: setFigures(GIVEN),
    }),
  ),
  take: sql(
    'ledger_adjust_down',
    adjustText({
      sides: "locked.id, 'system-funding'",
      fits: `${CREDITED} and ${BALANCE} >= $2::bigint and ${AVAILABLE} >= $2::bigint`,
      figures: setFigures(TAKEN),
    }),
  ),
  takeBelowZero: sql(
    'ledger_adjust_below_zero',
    adjustText({
      sides: "locked.id, 'system-funding'",
      fits: CREDITED,
      figures: setFigures(TAKEN, `greatest(0, ${missingAfter(TAKEN)})`),
    }),
  ),
} as const;

export type AdjustmentWay = keyof typeof statements;

type NewAdjustment = Readonly<{
  accountId: string;
  way: AdjustmentWay;
  /** Always positive; the kind says the direction. */
  amountNanoUsd: NanoUsd;
  reference: string;
  reason: string;
}>;

export type AdjustedRow = Readonly<{
  /** Null when nothing has moved. */
  entryId: bigint | null;
  /** False when the account cannot carry it. */
  isFit: boolean;
  /** The balance before the adjustment. */
  balanceNanoUsd: NanoUsd;
}>;

/** Null when there is no such account. */
export async function insertAdjustment(queryable: Queryable, adjustment: NewAdjustment): Promise<AdjustedRow | null> {
  const { accountId, way, amountNanoUsd, reference, reason } = adjustment;
  const values = [accountId, amountNanoUsd, reference, reason];
  return firstRow<AdjustedRow>(queryable, statements[way], values);
}

const findStatement = sql(
  'ledger_find_correction',
  `SELECT id AS "entryId", CASE WHEN debit_account_id LIKE 'system-%' THEN credit_account_id ELSE debit_account_id END
            AS "accountId",
          CASE WHEN debit_account_id LIKE 'system-%' THEN amount_nano_usd ELSE -amount_nano_usd END AS "amountNanoUsd"
   FROM journal_entries
   WHERE kind = $1 AND reference = $2`,
);

type CorrectionEntry = Readonly<{ entryId: bigint; accountId: string; amountNanoUsd: NanoUsd }>;

/** Finds a correction by its reference, which for a refund is the call. */
export const findCorrection = (
  queryable: Queryable,
  kind: 'adjustment' | 'refund',
  reference: string,
): Promise<CorrectionEntry | null> => firstRow(queryable, findStatement, [kind, reference]);

const chargeStatement = sql(
  'ledger_find_charge',
  `SELECT e.debit_account_id AS "accountId", e.amount_nano_usd AS "amountNanoUsd"
   FROM charge_of($1) e`,
);

export const findCharge = (
  queryable: Queryable,
  generationId: string,
): Promise<Readonly<{ accountId: string; amountNanoUsd: NanoUsd }> | null> =>
  firstRow(queryable, chargeStatement, [generationId]);

// A charge that is not folded yet is not counted as spent, so it cannot be refunded from there.
const refundStatement = sql(
  'ledger_refund_call',
  `WITH locked AS MATERIALIZED (${LOCKED}), charge AS (
     SELECT e.amount_nano_usd FROM charge_of($2) e
     WHERE e.debit_account_id = $1 AND NOT EXISTS (
       SELECT FROM unfolded_batches u WHERE $2 = ANY (u.generation_ids))
   ), inserted AS (
     INSERT INTO journal_entries (
       debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, reference, note
     )
     SELECT 'system-revenue', locked.id, charge.amount_nano_usd, 'refund', $2, $2, $3 FROM locked CROSS JOIN charge
     ON CONFLICT DO NOTHING
     RETURNING id, amount_nano_usd
   ), changed AS (
     UPDATE accounts a SET ${setFigures(REFUNDED)} FROM inserted i CROSS JOIN locked WHERE a.id = locked.id
   )
   SELECT EXISTS (SELECT FROM charge) AS "isFolded", (SELECT i.id FROM inserted i) AS "entryId"`,
);

type RefundRow = Readonly<{ isFolded: boolean; entryId: bigint | null }>;

export async function insertRefund(
  queryable: Queryable,
  refund: Readonly<{ accountId: string; generationId: string; reason: string }>,
): Promise<RefundRow> {
  const values = [refund.accountId, refund.generationId, refund.reason];
  const [row] = await queryable.query<RefundRow>(refundStatement, values);
  return row as RefundRow;
}

// Credit that is taken back or restored with its payment. It is taken back even when it was spent: what was spent,
// leased or held already is owed from then on.

// The account is locked before the entry is written, as for a credit.
const correctText = (kind: 'reclaim' | 'restore', sides: string, figures: string): string =>
  `WITH locked AS MATERIALIZED (
     SELECT ${LOCKED_COLUMNS} FROM accounts a WHERE a.id = $1 AND a.kind <> 'system' FOR UPDATE
   ), inserted AS (
     INSERT INTO journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, note)
     SELECT ${sides}, $2, '${kind}', $3, $4 FROM locked
     ON CONFLICT DO NOTHING
     RETURNING amount_nano_usd
   )
   UPDATE accounts a SET ${figures}
   FROM inserted i CROSS JOIN locked
   WHERE a.id = locked.id
   RETURNING a.balance_nano_usd AS "balanceNanoUsd", a.owed_nano_usd AS "owedNanoUsd"`;

const reclaimStatement = sql(
  'ledger_reclaim_credit',
  correctText('reclaim', "locked.id, 'system-funding'", setFigures(TAKEN, `greatest(0, ${missingAfter(TAKEN)})`)),
);

const restoreStatement = sql(
  'ledger_restore_credit',
  correctText('restore', "'system-funding', locked.id", setFigures(GIVEN)),
);

export type CorrectedRow = Readonly<{ balanceNanoUsd: NanoUsd; owedNanoUsd: NanoUsd }>;

/** Null when the reference was used before: then nothing has moved. */
export async function insertCorrection(transaction: Queryable, correction: Correction): Promise<CorrectedRow | null> {
  const { accountId, kind, amountNanoUsd, reference, note } = correction;
  const statement = kind === 'reclaim' ? reclaimStatement : restoreStatement;
  return firstRow<CorrectedRow>(transaction, statement, [accountId, amountNanoUsd, reference, note]);
}
