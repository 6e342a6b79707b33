// While the root secret is being replaced: reports which secrets this process has, and seals anew what the previous one
// has sealed.

import type { Ledger } from '../modules/ledger/ledger.ts';
import type { RootSecrets } from '../modules/root-secret/root-secrets.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import { startRounds } from './rounds.ts';

export const SECRETS_INTERVAL_MS = 15_000;

type Sealing = Readonly<{
  rootSecrets: Pick<RootSecrets, 'advance'>;
  ledger: Pick<Ledger, 'status'>;
  clock: Clock;
  logger: Logger;
}>;

export function startSealingAnew({ rootSecrets, ledger, clock, logger }: Sealing): () => Promise<void> {
  const failure = 'the change of the root secret is held up';
  const advance = () => rootSecrets.advance(ledger.status().processId);
  return startRounds(advance, { intervalMs: SECRETS_INTERVAL_MS, failure, clock, logger }).stop;
}
