// A gateway is killed between the charge of a repeatable call and its answer: a client that asks the next process gets
// an answer, and there is only the one charge.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { PATIENCE_MS } from '../patience.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 20 };
/** An answer is kept only once the test lets go of its lock. */
const HOLDS = `
  create function hold_for_test() returns trigger language plpgsql as $$
  begin perform pg_advisory_xact_lock_shared(4711); return new; end $$;
  create trigger hold_for_test before update on idempotent_calls for each row
  when (new.runner is null) execute function hold_for_test();`;

let database: FreshDatabase;
let client: Client;
let gateway: GatewayProcess;

beforeAll(async () => {
  database = await freshDatabase();
  gateway = await GatewayProcess.prepare(
    {
      'openai/counted': { commands: 'tokens-100-20' },
      // More than half of what an account has.
      'openai/dear': {
        commands: 'tokens-100-20',
        entry: { pricing: { prompt: '0', completion: '0', request: '0.6' } },
      },
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

const ask = (key: string, isStream: boolean, model = 'openai/counted'): Promise<Response> =>
  fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'killed' },
    body: JSON.stringify({ model, stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
  });

const charges = async (): Promise<number> =>
  (await client.query("select 1 from journal_entries where kind = 'charge'")).rowCount ?? 0;

test.each([
  [false, 'openai/counted'],
  [true, 'openai/counted'],
  [false, 'openai/dear'],
])('streamed: %s, %s', async (isStream, model) => {
  const key = await gateway.account();
  const before = await charges();
  await client.query('select pg_advisory_lock(4711)');
  const lost = ask(key, isStream, model).then((response) => response.text());
  lost.catch(() => {});
  await vi.waitFor(async () => expect(await charges()).toBe(before + 1), PATIENCE);
  await gateway.signal('SIGKILL');
  const seen = await lost.catch(() => '');
  expect(seen).not.toContain('"cost"');
  await client.query('select pg_advisory_unlock(4711)');
  await gateway.start();
  const answers = await Promise.all([ask(key, isStream, model), ask(key, isStream, model)]);
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(texts[0]).toContain('"cost"');
  expect(texts[1]).toBe(texts[0]);
  expect(await charges()).toBe(before + 1);
  expect(await gateway.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    heldReservations: 0,
  });
});
