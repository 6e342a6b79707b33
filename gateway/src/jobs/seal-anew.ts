// While the root secret is being replaced: reports which secrets this process has, and seals anew what the previous one
// has sealed.

import type { Ledger } from '../modules/ledger/ledger.ts';
import type { RootSecrets } from '../modules/root-secret/root-secrets.ts';
import type { Clock } from '../platform/clock.ts';
import { isConnectionFailure } from '../platform/db/connection-failure.ts';
import { asError, type Logger } from '../platform/logger.ts';

export const SECRETS_INTERVAL_MS = 15_000;

type Sealing = Readonly<{
  rootSecrets: Pick<RootSecrets, 'advance'>;
  ledger: Pick<Ledger, 'status'>;
  clock: Clock;
  logger: Logger;
}>;

export function startSealingAnew({ rootSecrets, ledger, clock, logger }: Sealing): () => Promise<void> {
  let running: Promise<void> | null = null;
  const round = async (): Promise<void> => {
    try {
      await rootSecrets.advance(ledger.status().processId);
    } catch (error) {
      // A database that is away is reported elsewhere, and the next round goes on.
      const level = isConnectionFailure(error) ? 'debug' : 'error';
      logger[level]({ error: asError(error) }, 'the change of the root secret is held up');
    }
    running = null;
  };
  const stop = clock.every(SECRETS_INTERVAL_MS, () => {
    running ??= round();
  });
  return async () => {
    stop();
    await running;
  };
}
