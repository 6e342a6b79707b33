// Finishes what was begun with money from outside: credits a payment that has arrived although the process that
// received the notification died or none came, issues statements that are missing, and buys credit where automatic
// top-ups are set up.

import type { Statements } from '../modules/orgs/statements.ts';
import type { Payments } from '../modules/payments/payments.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const PAYMENT_INTERVAL_MS = 15_000;

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
  const paying = startRounds([payments.completeUnfinished, payments.automatic.run], options);
  const asking = startRounds([payments.lookUpUnheard], options);
  const stating = startRounds([statements.catchUp], options);
  return async () => {
    await Promise.all([paying(), Promise.race([Promise.all([asking(), stating()]), clock.sleep(STOP_MS)])]);
  };
}

type Work = () => Promise<void>;

function startRounds(works: readonly Work[], options: PaymentCompletionOptions): () => Promise<void> {
  const { clock } = options;
  let running: Promise<void> | null = null;
  const start = (): void => {
    running ??= run(works, options).finally(() => {
      running = null;
    });
  };
  start();
  const stop = clock.every(PAYMENT_INTERVAL_MS, start);
  return async () => {
    stop();
    await running;
  };
}

async function run(works: readonly Work[], { logger }: PaymentCompletionOptions): Promise<void> {
  for (const work of works) {
    try {
      await work();
    } catch (error) {
      // A database that is away is reported elsewhere, and the next run is soon.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'payments could not be completed');
    }
  }
}
