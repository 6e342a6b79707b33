// A process of its own that makes durable reservations, settles some and releases others, as fast as it can, and prints
// the result of each. The test kills it; the printed results must be true, and everything else must be complete.

import { createLedger } from '../../src/modules/ledger/create-ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newId } from '../../src/platform/ids.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { capOf } from '../caps/caps.ts';
import { recordOf } from './record.ts';

const [, , databaseUrl = '', accountId = '', dataDir = ''] = process.argv;
const ledger = await createLedger({
  database: openDatabase(databaseUrl, silentLogger),
  notices: await openNotices(databaseUrl, silentLogger),
  connect: sessionsOf(databaseUrl),
  dataDir,
  clock: systemClock,
  logger: silentLogger,
});

const caps = [capOf(1_000_000_000n, { scopeId: 'key-of-the-killed' })];
const tell = (verb: string, id: string): void => void process.stdout.write(`${verb} ${id}\n`);

async function work(): Promise<never> {
  for (let turn = 0; ; turn += 1) {
    const id = newId('gen');
    const expiresAtMs = Date.now() + 3_600_000;
    await ledger.reserveDurable({
      id,
      accountId,
      userId: 'usr-1',
      keyId: 'key-1',
      caps,
      amountNanoUsd: 10n,
      expiresAtMs,
    });
    tell('held', id);
    if (turn % 3 === 0) continue;
    if (turn % 3 === 1) await ledger.settleDurable(id, recordOf({ generationId: id, accountId }, 7n));
    else await ledger.releaseDurable(id, 'failed');
    tell(turn % 3 === 1 ? 'settled' : 'released', id);
  }
}

await Promise.all(Array.from({ length: 4 }, work));
