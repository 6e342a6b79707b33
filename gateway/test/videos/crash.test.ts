// A gateway is killed while it has jobs, at every moment that matters. The next one finishes every order, charges it
// once or returns the money, and calls its owner.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { GatewayProcess } from '../behaviour/gateway-process.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import type { Json } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { QUICK, video } from './video-bed.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 50 };

// Each test kills a process and waits for the next one to come up.
vi.setConfig({ testTimeout: 60_000 });

/** Statements of the gateway wait at these places as long as the test holds the lock of that name. */
const GATES = `
  create function wait_at_gate() returns trigger language plpgsql as $$
  begin
    perform pg_advisory_xact_lock_shared(hashtextextended(tg_argv[0], 0));
    return new;
  end
  $$;
  create trigger gate_charge before insert on journal_entries for each row execute function wait_at_gate('charge');
  create trigger gate_end before update on video_jobs for each row when (new.phase = 'ended' and old.phase <> 'ended')
    execute function wait_at_gate('end');
  create trigger gate_accept before update on video_jobs for each row when (new.phase = 'open' and old.phase = 'submitting')
    execute function wait_at_gate('accept');
  create trigger gate_kept before update on idempotent_calls for each row when (new.runner is null)
    execute function wait_at_gate('kept');`;

let database: FreshDatabase;
let client: Client;
let gateway: GatewayProcess;
let receiver: Receiver;

beforeAll(async () => {
  receiver = await startReceiver();
  database = await freshDatabase();
  const environment = {
    DATABASE_URL: database.url,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
    TOLLGATE_SSRF_ALLOW: '127.0.0.2/32',
  };
  const models = { 'acme/film': video(QUICK), 'acme/slow': video('video-queue-0+video-run-1500') };
  gateway = await GatewayProcess.prepare(models, environment);
  const certificate = join(gateway.folder, 'receiver.pem');
  await writeFile(certificate, receiver.certificate.cert);
  Object.assign(environment, { NODE_EXTRA_CA_CERTS: certificate });
  await gateway.start();
  client = new Client({ connectionString: database.url });
  await client.connect();
  await client.query(GATES);
});

afterAll(async () => {
  await client.end();
  await gateway.close();
  await database.drop();
  await receiver.close();
});

async function rows<Row extends object = Record<string, string>>(text: string, values: unknown[] = []): Promise<Row[]> {
  return (await client.query<Row>(text, values)).rows;
}

const WAITING = `select pid from pg_locks where locktype = 'advisory' and not granted
  and database = (select oid from pg_database where datname = current_database())`;

/** Killed while it waits at the gate; the server is told at once, as it would notice in time. */
async function killAt(gate: string, begin: () => Promise<unknown>): Promise<void> {
  await rows('select pg_advisory_lock(hashtextextended($1, 0))', [gate]);
  const begun = begin().catch(() => undefined);
  await vi.waitFor(async () => expect(await rows(WAITING)).not.toEqual([]), PATIENCE);
  await gateway.signal('SIGKILL');
  await rows(`select pg_terminate_backend(pid) from (${WAITING}) waiting`);
  await rows('select pg_advisory_unlock(hashtextextended($1, 0))', [gate]);
  await begun;
}

/** The leases of the dead process run out, and what is due later is due now. */
const timePasses = () =>
  rows(
    "update video_jobs set leased_until = '-infinity', due_at = now(), checked_at = '-infinity' where phase <> 'ended'",
  );

const order = (key: string, body: Json = {}): Promise<Json> =>
  gateway.call('POST', '/v1/videos', key, {
    model: 'acme/film',
    prompt: 'x',
    callback_url: receiver.plainUrl,
    ...body,
  });

/** Completed, charged once, its owner called about it, and the books in order. */
async function assertFinished(key: string, costUsd: number): Promise<void> {
  const jobs = async () => (await gateway.call('GET', '/v1/videos', key)).data as Json[];
  await vi.waitFor(async () => expect((await jobs())[0]?.status).toBe('completed'), PATIENCE);
  const [job, ...others] = await jobs();
  expect(others).toEqual([]);
  expect(job?.usage).toEqual({ cost: costUsd });
  const credits = (await gateway.call('GET', '/v1/credits', key)).data as Json;
  expect(credits.total_usage).toBe(costUsd);
  const calls = () => receiver.heard.filter(({ body }) => (body.data as Json).id === job?.id);
  await vi.waitFor(() => expect(calls()).toHaveLength(1), PATIENCE);
  expect(calls()[0]?.body).toMatchObject({ type: 'video.generation.completed', data: { usage: { cost: costUsd } } });
  const check = await gateway.operate('GET', '/admin/v1/ledger/check?full=true');
  expect(check).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
}

test('CRASH-1 VID-16 VID-20 VID-27 killed while a job is pending', async () => {
  const key = await gateway.account();
  expect(await order(key, { model: 'acme/slow' })).toMatchObject({ status: 'pending' });
  await gateway.signal('SIGKILL');
  await gateway.start();
  await assertFinished(key, 0.4);
});

test('CRASH-1 VID-20 killed inside the charge', async () => {
  const key = await gateway.account();
  await order(key);
  await killAt('charge', timePasses);
  await timePasses();
  await gateway.start();
  await assertFinished(key, 0.4);
});

test('CRASH-1 VID-20 killed between the charge and the end', async () => {
  const key = await gateway.account();
  await order(key);
  await killAt('end', timePasses);
  const [charged] = await rows("select count(*)::integer as n from journal_entries where kind = 'charge'");
  expect(charged?.n).toBeGreaterThan(0);
  await timePasses();
  await gateway.start();
  await assertFinished(key, 0.4);
});

test('CRASH-1 VID-16 killed before it knew that the order was taken: it is found, and not ordered again', async () => {
  const key = await gateway.account();
  const orders = (): number => gateway.simulator.requests.filter(({ method }) => method === 'POST').length;
  const before = orders();
  await killAt('accept', () => order(key, { prompt: 'Nobody heard of it.' }));
  await timePasses();
  await gateway.start();
  await vi.waitFor(
    async () => expect(await rows("select id from video_jobs where phase = 'submitting'")).toEqual([]),
    PATIENCE,
  );
  await timePasses();
  await assertFinished(key, 0.4);
  expect(orders()).toBe(before + 1);
});

test.each(['accept', 'kept'])(
  'CRASH-1 VID-16 BILL-08 killed at %s: repeated with its key, it is the same job',
  async (gate) => {
    const key = await gateway.account();
    const orderOnce = async (): Promise<Json> => {
      const response = await fetch(`${gateway.url}/v1/videos`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', 'Idempotency-Key': 'once' },
        body: JSON.stringify({ model: 'acme/film', prompt: `Once, at ${gate}.`, callback_url: receiver.plainUrl }),
      });
      expect(response.status).toBe(202);
      return (await response.json()) as Json;
    };
    await killAt(gate, orderOnce);
    await rows("update idempotent_calls set alive_at = '-infinity' where runner is not null");
    await gateway.start();
    const { id } = await orderOnce();
    expect(await orderOnce()).toMatchObject({ id });
    await vi.waitFor(async () => {
      await timePasses();
      expect(await rows("select id from video_jobs where phase = 'submitting'")).toEqual([]);
    }, PATIENCE);
    await timePasses();
    await assertFinished(key, 0.4);
  },
);

test('CRASH-1 VID-27 killed while it called the owner, who is called again under the same key', async () => {
  const key = await gateway.account();
  const before = receiver.heard.length;
  receiver.answerWith(() => undefined);
  const { id } = await order(key);
  await timePasses();
  await vi.waitFor(() => expect(receiver.heard.length).toBe(before + 1), PATIENCE);
  await gateway.signal('SIGKILL');
  receiver.answerWith((response) => response.end());
  await rows("update video_callbacks set next_attempt_at = now() where state = 'waiting'");
  await gateway.start();
  await vi.waitFor(async () => {
    expect(await rows('select state from video_callbacks where job_id = $1', [id])).toEqual([{ state: 'sent' }]);
  }, PATIENCE);
  const keys = receiver.heard.slice(before).map(({ headers }) => headers['x-tollgate-idempotency-key']);
  expect(keys).toEqual([`${id}-completed`, `${id}-completed`]);
});
