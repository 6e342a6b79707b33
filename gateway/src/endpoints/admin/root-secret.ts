// GET /admin/v1/secret: how far the change of the root secret is, and whether the previous one can be removed.

import type { RootSecretAnswer } from '../../contract/root-secret.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { RootSecrets, SecretStatus } from '../../modules/root-secret/root-secrets.ts';

export const readRootSecretEndpoint =
  (rootSecrets: Pick<RootSecrets, 'status'>): Handler =>
  async (exchange) => {
    sendJson(exchange, 200, toAnswer(await rootSecrets.status()));
  };

function phaseOf({ isPreviousNeeded, secretId, inUseId }: SecretStatus): RootSecretAnswer['phase'] {
  if (!isPreviousNeeded) return 'steady';
  return secretId === inUseId ? 'sealing' : 'spreading';
}

const toAnswer = (status: SecretStatus): RootSecretAnswer => ({
  phase: phaseOf(status),
  isPreviousNeeded: status.isPreviousNeeded,
  secretId: status.secretId,
  previousId: status.previousId,
  inUseId: status.inUseId,
  secrets: status.roots.map(({ id, announcedAt, isUsed }) => ({ id, announcedAt: announcedAt.toISOString(), isUsed })),
  processes: status.processes.map(({ startedAt, ...rest }) => ({ ...rest, startedAt: startedAt.toISOString() })),
  sealedAnew: status.columns.map(({ name, isDone, seen, sealed, unreadable }) => ({
    ...{ name, isDone },
    ...{ seen: Number(seen), sealed: Number(sealed), unreadable: Number(unreadable) },
  })),
});
