// Finishes what was begun with money from outside: credits a payment that has arrived although the process that
// received the notification died, issues last month's statements, and buys credit where automatic top-ups are set up.

import type { Statements } from '../modules/orgs/statements.ts';
import type { Payments } from '../modules/payments/payments.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const PAYMENT_INTERVAL_MS = 15_000;

type PaymentCompletionOptions = Readonly<{
  payments: Pick<Payments, 'completeUnfinished'> & Readonly<{ automatic: Pick<Payments['automatic'], 'run'> }>;
  statements: Pick<Statements, 'catchUp'>;
  clock: Clock;
  logger: Logger;
}>;

/** Runs at once and then regularly. Stopping it waits for the run under way. */
export function startPaymentCompletion(options: PaymentCompletionOptions): () => Promise<void> {
  const { clock } = options;
  let running: Promise<void> | null = null;
  const start = (): void => {
    running ??= run(options).finally(() => {
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

async function run({ payments, statements, logger }: PaymentCompletionOptions): Promise<void> {
  for (const work of [payments.completeUnfinished, payments.automatic.run, statements.catchUp]) {
    try {
      await work();
    } catch (error) {
      // A database that is away is reported elsewhere, and the next run is soon.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'payments could not be completed');
    }
  }
}
