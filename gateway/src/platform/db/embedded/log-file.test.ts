// The server's log never fills the disk, and its newest lines stay when it is cut.

import { appendFile, mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { boundLog, openLog, readLogFrom } from './log-file.ts';

test('a log that has grown too long is cut while the server holds it open, and the previous part is kept', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-log-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const path = join(folder, 'postgres.log');
  await boundLog(path);
  const server = await openLog(path);
  await server.write('short\n');
  await boundLog(path);
  expect((await stat(path)).size).toBe(6);

  await appendFile(path, 'x'.repeat(3_000_000));
  await boundLog(path);
  await server.write('after the cut\n');
  await server.close();
  expect(await readFile(path, 'utf8')).toBe('after the cut\n');
  expect((await stat(`${path}.previous`)).size).toBe(3_000_006);
  expect(await readLogFrom(path, 6)).toBe('the cut');
});
