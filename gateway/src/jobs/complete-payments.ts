// Finishes what was begun with money from outside: credits a payment that has arrived although the process that
// received the notification died or none came, issues statements that are missing, and buys credit where automatic
// top-ups are set up.

import type { Statements } from '../modules/orgs/statements.ts';
import type { Payments } from '../modules/payments/payments.ts';
import type { Clock } from '../platform/clock.ts';
import { reportFailure } from '../platform/db/report-failure.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const PAYMENT_INTERVAL_MS = 15_000;
const FAILURE = 'payments could not be completed';

type PaymentCompletionOptions = Readonly<{
  payments: Pick<Payments, 'completeUnfinished' | 'lookUpUnheard'> &
    Readonly<{ automatic: Pick<Payments['automatic'], 'run'> }>;
  statements: Pick<Statements, 'catchUp'>;
  clock: Clock;
  logger: Logger;
}>;

/** A statement that is cut off is made again, and an order that is asked about is asked about again. */
const STOP_MS = 3_000;

/**
 * Runs at once and then regularly. Stopping it waits for the payments under way. The statements of large organizations
 * take long, and so may providers that are asked; no payment waits for them.
 */
export function startPaymentCompletion(options: PaymentCompletionOptions): () => Promise<void> {
  const { payments, statements, clock } = options;
  const paying = startWorks([payments.completeUnfinished, payments.automatic.run], options);
  const asking = startWorks([payments.lookUpUnheard], options);
  const stating = startWorks([statements.catchUp], options);
  return async () => {
    await Promise.all([paying(), Promise.race([Promise.all([asking(), stating()]), clock.sleep(STOP_MS)])]);
  };
}

type Work = () => Promise<void>;

function startWorks(works: readonly Work[], { clock, logger }: PaymentCompletionOptions): () => Promise<void> {
  const round = async (): Promise<void> => {
    for (const work of works) {
      try {
        await work();
      } catch (error) {
        reportFailure(logger, error, FAILURE);
      }
    }
  };
  const options = { intervalMs: PAYMENT_INTERVAL_MS, failure: FAILURE, clock, logger };
  const { now, stop } = startRounds(round, options);
  void now();
  return stop;
}
