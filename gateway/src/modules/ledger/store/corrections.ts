// Credit that moves back or forth with the payment it was given for. It is taken whatever is left of it: what was spent,
// leased or held already is owed from then on.

import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { LOCKED_COLUMNS, missingAfter, setFigures } from './locked-account.ts';

const TAKEN = {
  balance_nano_usd: '- i.amount_nano_usd',
  total_credited_nano_usd: '- i.amount_nano_usd',
};

const RESTORED = {
  balance_nano_usd: '+ i.amount_nano_usd',
  total_credited_nano_usd: '+ i.amount_nano_usd',
};

// The account is locked before the entry is written, as for a credit.
const correctText = (kind: 'reclaim' | 'restore', sides: string, figures: string): string =>
  `with locked as materialized (
     select ${LOCKED_COLUMNS} from accounts a where a.id = $1 and a.kind <> 'system' for update
   ), inserted as (
     insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, note)
     select ${sides}, $2, '${kind}', $3, $4 from locked
     on conflict (kind, reference) where reference is not null do nothing
     returning amount_nano_usd
   )
   update accounts a set ${figures}
   from inserted i cross join locked
   where a.id = locked.id
   returning a.balance_nano_usd as "balanceNanoUsd", a.owed_nano_usd as "owedNanoUsd"`;

const reclaimStatement = sql(
  'ledger_reclaim_credit',
  correctText('reclaim', "locked.id, 'system-funding'", setFigures(TAKEN, `greatest(0, ${missingAfter(TAKEN)})`)),
);

const restoreStatement = sql(
  'ledger_restore_credit',
  correctText('restore', "'system-funding', locked.id", setFigures(RESTORED)),
);

export type Correction = Readonly<{
  accountId: string;
  kind: 'reclaim' | 'restore';
  amountNanoUsd: NanoUsd;
  note: string;
  reference: string;
}>;

export type CorrectedRow = Readonly<{ balanceNanoUsd: NanoUsd; owedNanoUsd: NanoUsd }>;

/** Null when the reference was used before: then nothing has moved. */
export async function insertCorrection(transaction: Queryable, correction: Correction): Promise<CorrectedRow | null> {
  const { accountId, kind, amountNanoUsd, reference, note } = correction;
  const statement = kind === 'reclaim' ? reclaimStatement : restoreStatement;
  const [row] = await transaction.query<CorrectedRow>(statement, [accountId, amountNanoUsd, reference, note]);
  return row ?? null;
}
