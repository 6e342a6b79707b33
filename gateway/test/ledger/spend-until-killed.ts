// A process of its own that reserves and settles as fast as it can and prints the id of each generation once its
// settlement has resolved. The test kills it; every id it printed must have been charged.

import { createLedger } from '../../src/modules/ledger/create-ledger.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { openNotices } from '../../src/platform/db/notices.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { sessionsOf } from '../../src/platform/db/servers.ts';
import { newId } from '../../src/platform/ids.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { recordOf, settled } from './record.ts';

const [, , databaseUrl = '', accountId = '', dataDir = ''] = process.argv;
const url = `${databaseUrl}${databaseUrl.includes('?') ? '&' : '?'}application_name=spend-until-killed`;
const ledger = await createLedger({
  database: openDatabase(url, silentLogger),
  notices: await openNotices(url, silentLogger),
  connect: sessionsOf(url),
  dataDir,
  clock: systemClock,
  logger: silentLogger,
});

async function spend(): Promise<never> {
  for (;;) {
    const held = await ledger.reserve(accountId, newId('gen'), 1_000n);
    await settled(ledger, held, recordOf(held, 10n));
    process.stdout.write(`${held.generationId}\n`);
  }
}

await Promise.all(Array.from({ length: 8 }, spend));
