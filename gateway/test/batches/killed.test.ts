// A gateway is killed amid batches and jobs, when lines have been charged and their answers are not yet kept, also at a
// provider's batch interface. The next gateway goes on, and every line and job is in the results and in the books once.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 100 };
const LINES = 40;
const JOBS = 4;
/** An answer is kept only once the test lets go of its lock. */
const HOLDS = `
  create function hold_for_test() returns trigger language plpgsql as $$
  begin perform pg_advisory_xact_lock_shared(4712); return new; end $$;
  create trigger hold_for_test before update on batch_lines for each row
  when (new.answer is not null) execute function hold_for_test();`;

let database: FreshDatabase;
let client: Client;
let gateway: GatewayProcess;

beforeAll(async () => {
  database = await freshDatabase();
  gateway = await GatewayProcess.prepare(
    {
      'openai/counted': { commands: 'tokens-100-20' },
      'openai/handed': { commands: 'tokens-100-20', entry: { extras: { batch: '0.5' } } },
    },
    { DATABASE_URL: database.url, TOLLGATE_SECRET: 'test-secret-test-secret-test-secret' },
  );
  await gateway.start();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(HOLDS);
});
afterAll(async () => {
  await gateway.close();
  await client.end();
  await database.drop();
});

const charges = async (): Promise<number> =>
  (await client.query("select 1 from journal_entries where kind = 'charge'")).rowCount ?? 0;

/** Of lines at a provider, those that have been charged and have no answer yet. */
const chargedThere = async (): Promise<number> =>
  (await client.query('select 1 from journal_entries join handed_lines using (generation_id)')).rowCount ?? 0;

const lineOf = (index: number, model: string): string =>
  JSON.stringify({
    ...{ custom_id: `line ${index}`, method: 'POST', url: '/v1/chat/completions' },
    body: { model, max_tokens: 50, messages: [{ role: 'user', content: 'hi' }] },
  });

async function upload(key: string, model: string): Promise<string> {
  const form = new FormData();
  form.set('purpose', 'batch');
  const lines = Array.from({ length: LINES }, (_, index) => lineOf(index, model));
  form.set('file', new Blob([lines.join('\n')]), 'in.jsonl');
  const headers = { Authorization: `Bearer ${key}` };
  const answer = await fetch(`${gateway.url}/v1/files`, { method: 'POST', headers, body: form });
  return String(((await answer.json()) as Json).id);
}

async function job(key: string): Promise<string> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Prefer: 'respond-async' };
  const body = JSON.stringify({ model: 'openai/counted', messages: [{ role: 'user', content: 'hi' }] });
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers, body });
  expect(answer.status).toBe(202);
  return String(((await answer.json()) as Json).id);
}

async function batchOf(key: string, model: string): Promise<string> {
  const endpoint = '/v1/chat/completions';
  const body = { input_file_id: await upload(key, model), endpoint, completion_window: '24h' };
  return String((await gateway.call('POST', '/v1/batches', key, body)).id);
}

async function hasEachOnce(key: string, id: string): Promise<void> {
  const batch = await vi.waitFor(async () => {
    const found = await gateway.call('GET', `/v1/batches/${id}`, key);
    expect(found.status).toBe('completed');
    return found;
  }, PATIENCE);
  expect(batch.request_counts).toEqual({ total: LINES, completed: LINES, failed: 0 });
  const headers = { Authorization: `Bearer ${key}` };
  const content = await fetch(`${gateway.url}/v1/files/${String(batch.output_file_id)}/content`, { headers });
  const results = (await content.text()).trimEnd().split('\n');
  expect(new Set(results.map((each) => (JSON.parse(each) as Json).custom_id)).size).toBe(LINES);
  expect(results).toHaveLength(LINES);
}

test('every line and job once', async () => {
  const key = await gateway.account();
  const handed = await batchOf(key, 'openai/handed');
  const ordered = 'select 1 from handed_batches where upstream_id is not null';
  await vi.waitFor(async () => expect((await client.query(ordered)).rowCount).toBeGreaterThan(0), PATIENCE);
  await client.query('select pg_advisory_lock(4712)');
  const counted = await batchOf(key, 'openai/counted');
  const jobs = [];
  for (let index = 0; index < JOBS; index += 1) jobs.push(await job(key));
  await vi.waitFor(async () => expect(await charges()).toBeGreaterThanOrEqual(8), PATIENCE);
  await vi.waitFor(async () => expect(await chargedThere()).toBeGreaterThanOrEqual(1), PATIENCE);
  await gateway.signal('SIGKILL');
  await client.query('select pg_advisory_unlock(4712)');
  await gateway.start();
  await hasEachOnce(key, counted);
  await hasEachOnce(key, handed);
  const headers = { Authorization: `Bearer ${key}` };
  for (const jobId of jobs) {
    const result = await vi.waitFor(async () => {
      const answer = await fetch(`${gateway.url}/v1/jobs/${jobId}/result`, { headers });
      expect(answer.status).toBe(200);
      return (await answer.json()) as Json;
    }, PATIENCE);
    expect(result.usage).toMatchObject({ completion_tokens: 20 });
  }
  expect(await charges()).toBe(2 * LINES + JOBS);
  expect(await gateway.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    heldReservations: 0,
  });
});
