// A process that owns an embedded database and commits rows until it is killed. Each number is printed only after its
// commit: printed numbers must never be lost.

import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';

const server = await startEmbedded({ dataFolder: process.argv[2] ?? '', logger: silentLogger });
const database = openDatabase(server.url, silentLogger);
await database.query({ name: 'create', text: 'create table if not exists kept (number integer primary key)' });
for (let number = Number(process.argv[3]); ; number += 1) {
  await database.query({ name: 'keep', text: 'insert into kept (number) values ($1)' }, [number]);
  process.stdout.write(`${number}\n`);
}
