// Archiving a month by a gateway that fails on the way: what broke off leaves no file, what is complete is used and
// never written again.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runCli } from '../run.ts';
import { ledgerCommands } from './ledger.ts';

let server: Server;
let folder: string;
let asked: string[];
/** What the gateway fails with 500 at present. */
let failing: string | null;

const entry = (id: number): string =>
  JSON.stringify({ id, kind: 'charge', debit: 'usr-1', credit: 'system-revenue', amountNanoUsd: '5' });

const ANSWERS: Readonly<Record<string, unknown>> = {
  'GET /admin/v1/ledger/months': { months: [{ month: '2025-01', entries: 2, sealedAt: '', archiveSha256: null }] },
  'GET /admin/v1/ledger/months/2025-01/entries': { lines: [entry(1)], next: '1' },
  'GET /admin/v1/ledger/months/2025-01/entries?after=1': { lines: [entry(2)], next: null },
  'POST /admin/v1/ledger/months/2025-01/archive': { removed: 2, isDone: true },
};

const SECOND_PAGE = 'GET /admin/v1/ledger/months/2025-01/entries?after=1';
const REMOVAL = 'POST /admin/v1/ledger/months/2025-01/archive';

beforeEach(async () => {
  asked = [];
  failing = null;
  folder = mkdtempSync(join(tmpdir(), 'tollgate-archive-'));
  server = createServer((request, response) => {
    const name = `${request.method} ${request.url}`;
    asked.push(name);
    request.resume();
    const body = ANSWERS[name];
    const status = body === undefined ? 404 : name === failing ? 500 : 200;
    response.writeHead(status).end(JSON.stringify(status === 200 ? body : {}));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});

afterEach(async () => {
  rmSync(folder, { recursive: true, force: true });
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

async function archive() {
  const printed: string[] = [];
  const print = (text: string): void => void printed.push(text);
  const code = await runCli({
    commands: ledgerCommands,
    parameters: ['ledger', 'archive', '--month', '2025-01', '--file', join(folder, 'month.gz')],
    environment: {
      TOLLGATE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      TOLLGATE_ADMIN_TOKEN: 'token',
    },
    terminal: { print, printError: print },
  });
  return { code, text: printed.join('\n') };
}

test('a download that breaks leaves nothing, and the next one is whole', async () => {
  failing = SECOND_PAGE;
  expect((await archive()).code).toBe(1);
  expect(readdirSync(folder)).toEqual([]);
  failing = null;
  const again = await archive();
  expect(again.code, again.text).toBe(0);
  expect(readdirSync(folder)).toEqual(['month.gz']);
  const text = gunzipSync(readFileSync(join(folder, 'month.gz'))).toString('utf8');
  expect(text).toBe(`${entry(1)}\n${entry(2)}\n`);
});

test('a complete file whose charges were not removed yet is used as it is', async () => {
  failing = REMOVAL;
  expect((await archive()).code).toBe(1);
  const bytes = readFileSync(join(folder, 'month.gz'));
  failing = null;
  asked = [];
  const again = await archive();
  expect(again.code, again.text).toBe(0);
  expect(asked).toEqual(['GET /admin/v1/ledger/months', REMOVAL]);
  expect(readFileSync(join(folder, 'month.gz'))).toEqual(bytes);
});
