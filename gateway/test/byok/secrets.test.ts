// A canary in place of the upstream's key is sent through every kind of outcome, and then searched for in everything
// that the gateway has answered, logged and stored. The upstream itself repeats it wherever it can.

import { inspect } from 'node:util';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openKey, sealKey } from '../../src/modules/byok/sealed-key.ts';
import type { LogFields, Logger } from '../../src/platform/logger.ts';
import type { Json } from '../harness.ts';
import { API_KEY, type ByokBed, type Org, startByokBed } from './byok-bed.ts';

const logged: string[] = [];
const note = (fields: LogFields, message: string): void => {
  logged.push(`${message} ${inspect(fields, { depth: 10 })}`);
};
const logger: Logger = { debug: note, info: note, warn: note, error: note };

let bed: ByokBed;
let org: Org;

beforeAll(async () => {
  bed = await startByokBed({ start: { logger } });
  org = await bed.org(1);
});

afterAll(() => bed.close());

/** An error that holds the key in every place that a client of ours could be shown. */
const echo = {
  error: { message: `bad key ${API_KEY}`, type: API_KEY, param: API_KEY.replaceAll('-', '_'), code: API_KEY },
};

test('BYOK-02 BYOK-08 ALOG-05 the key is in no answer, no log line and no row', async () => {
  const shown: string[] = [];
  for (const fallbackMode of ['strict', 'seamless']) {
    const created = await bed.manage(org.managementKey, 'POST', '', bed.body({ fallbackMode }));
    const id = String(created.body.id);
    shown.push(created.text);
    for (const status of [400, 401, 404, 429, 500, 200]) {
      for (const stream of [false, true]) {
        bed.upstream.script((_, response) => {
          response
            .writeHead(status, { 'content-type': 'application/json', 'x-echo': API_KEY })
            .end(JSON.stringify(echo));
          return undefined;
        });
        const answer = await bed.harness.chat(org.key, { model: 'openai/test', stream });
        shown.push(answer.text, JSON.stringify([...answer.headers]));
      }
    }
    for (const commands of ['reset', 'reset-after-2', 'error-frame-1', 'redirect', 'bad-json']) {
      bed.upstream.script(commands);
      shown.push((await bed.harness.chat(org.key, { model: 'openai/test', stream: true })).text);
    }
    bed.upstream.script('status-401', { path: '/models' });
    shown.push(
      (await bed.manage(org.managementKey, 'POST', '', bed.body({ fallbackMode, protocol: 'anthropic' }))).text,
    );
    shown.push((await bed.manage(org.managementKey, 'PATCH', id, { name: 'renamed' })).text);
    shown.push((await bed.manage(org.managementKey, 'PATCH', id, { apiKey: API_KEY })).text);
    shown.push((await bed.manage(org.managementKey, 'POST', '', { apiKey: API_KEY })).text);
    shown.push((await bed.manage(org.managementKey, 'GET')).text);
    shown.push((await bed.manage(org.managementKey, 'DELETE', id)).text);
  }
  const log = await bed.harness.request('GET', `/api/orgs/${org.id}/audit-log`, { key: org.managementKey });
  expect(log.status).toBe(200);
  expect(logged.length).toBeGreaterThan(10);
  expect(bed.calls().length).toBeGreaterThan(20);
  for (const text of [...shown, ...logged, log.text]) {
    expect(text).not.toContain(API_KEY);
    expect(text).not.toContain(echo.error.param);
  }
  expect(await storedText()).not.toContain(API_KEY);
});

async function storedText(): Promise<string> {
  const client = new Client({ connectionString: bed.harness.databaseUrl });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public'",
  );
  let stored = '';
  for (const { name } of tables.rows) {
    const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
    stored += rows.map(({ row }) => row).join('\n');
  }
  await client.end();
  expect(stored).toContain('sealed:1:');
  return stored;
}

test('BYOK-08 a sealed key opens in its own row and nowhere else', async () => {
  const key = Buffer.alloc(32, 7);
  const place = { orgId: 'org-a', id: 'byok-1' };
  const sealed = sealKey(key, API_KEY, place);
  expect(openKey(key, sealed, place)).toBe(API_KEY);
  expect(openKey(key, sealed, { ...place, orgId: 'org-b' })).toBeNull();
  expect(openKey(key, sealed, { ...place, id: 'byok-2' })).toBeNull();
  expect(openKey(Buffer.alloc(32, 8), sealed, place)).toBeNull();
});

test('BYOK-08 a row that was moved to another organization sends nothing of the key', async () => {
  const thief = await bed.org();
  const { id } = await bed.create(org, { fallbackMode: 'strict' });
  const { id: other } = await bed.create(thief, { fallbackMode: 'strict', apiKey: 'a-key-of-the-thief' });
  const client = new Client({ connectionString: bed.harness.databaseUrl });
  await client.connect();
  await client.query(
    'update byok_keys set sealed_api_key = (select sealed_api_key from byok_keys where id = $1) where id = $2',
    [id, other],
  );
  await client.end();
  await bed.manage(thief.managementKey, 'PATCH', String(other), { name: 'moved' });
  bed.clear();
  await bed.harness.chat(thief.key, { model: 'openai/test' });
  expect(JSON.stringify(bed.calls().map(({ headers }) => headers as Json))).not.toContain(API_KEY);
});
