// Credit that goes back with its payment, or returns with it. It is written in the transaction of whoever decides it;
// only afterwards is it told to the processes, which have leased parts of the account and must ask again.

import { assert } from '../../platform/assert.ts';
import type { Notices, Queryable } from '../../platform/db/database.ts';
import { type CorrectedRow, type Correction, insertCorrection } from './store/corrections.ts';

export const RECLAIMS_TOPIC = 'reclaims';

export type Corrections = Readonly<{
  /** Once for each reference; null when it was made before. */
  correct(transaction: Queryable, correction: Correction): Promise<CorrectedRow | null>;
  /** After the commit. */
  tell(accountId: string): Promise<void>;
}>;

export const createCorrections = (notices: Notices): Corrections => ({
  correct(transaction, correction) {
    assert(correction.amountNanoUsd > 0n, 'a correction moves something');
    return insertCorrection(transaction, correction);
  },
  tell: (accountId) => notices.publish(RECLAIMS_TOPIC, accountId),
});
