// Accounts that are billed monthly: they may go below zero down to their credit line and never beyond it. Lowering a
// line is refused while the account owes or uses more than the new line.

import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { recallSlices } from './slice-exchange.ts';
import { changeTerms, insertAccountWithTerms, readTerms } from './store/accounts.ts';
import type { AccountKind } from './store/slices.ts';

/** How long processes may take to give back what they have leased and do not use. */
const RECALL_MS = 100;
const RECALLS_MAX = 3;
const BALANCES_TOPIC = 'balances';

/** A prepaid account has no credit line. */
type Terms = Readonly<{ kind: AccountKind; creditLineNanoUsd: NanoUsd }>;

type Standing = Terms & Readonly<{ balanceNanoUsd: NanoUsd }>;

type AccountTerms = Readonly<{
  open(queryable: Queryable, accountId: string, terms: Terms): Promise<void>;
  read(accountId: string): Promise<Standing | null>;
  /** False, with nothing changed, when the account owes or uses more than the new terms allow. */
  change(accountId: string, terms: Terms): Promise<boolean>;
}>;

type AccountTermsOptions = Readonly<{ database: Database; notices: Notices; clock: Clock }>;

export function createAccountTerms({ database, notices, clock }: AccountTermsOptions): AccountTerms {
  return {
    open: insertAccountWithTerms,
    read: (accountId) => readTerms(database, accountId),
    async change(accountId, terms) {
      let isChanged = await changeTerms(database, accountId, terms);
      for (let recalls = 0; !isChanged && recalls < RECALLS_MAX; recalls += 1) {
        await recallSlices(notices, accountId);
        await clock.sleep(RECALL_MS);
        isChanged = await changeTerms(database, accountId, terms);
      }
      // A slice remembers that nothing more could be leased; after the line was raised that is no longer true.
      if (isChanged) await notices.publish(BALANCES_TOPIC, accountId);
      return isChanged;
    },
  };
}
