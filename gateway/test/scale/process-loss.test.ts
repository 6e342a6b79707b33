// One of two gateways is killed under 200 streams, and a database server under both: the books balance, what was held
// comes back by itself, and every client that saw the end of an answer has paid for it.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { findPostmaster } from '../../src/platform/db/embedded/postmaster.ts';
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { freshDatabase } from '../database.ts';
import { PATIENCE_MS } from '../patience.ts';
import { countStatuses, Gateways, type Seen } from './gateways.ts';

const PROMISED = { timeout: PATIENCE_MS, interval: 50 };
const STREAM = 'tokens-100-20+chunks-20+delay-150';
const models = {
  'openai/stream': { commands: STREAM },
  'openai/quick': { commands: 'tokens-100-20' },
};

async function connect(url: string) {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return {
    rows: async (text: string, values: unknown[] = []) =>
      (await client.query<Record<string, string>>(text, values)).rows,
    end: () => client.end(),
  };
}

type Rows = Awaited<ReturnType<typeof connect>>['rows'];

/** The books must have exactly the cost that a client was told. */
async function untoldDifferences(rows: Rows, seen: readonly Seen[]): Promise<string[]> {
  const charged = await rows(
    "select generation_id as id, amount_nano_usd::float8 / 1e9 as usd from journal_entries where kind = 'charge'",
  );
  const usdOf = new Map(charged.map(({ id, usd }) => [id, Number(usd)]));
  return seen.flatMap(({ headers, costUsd }) => {
    const id = headers.get('x-generation-id') ?? '';
    return costUsd === null || usdOf.get(id) === costUsd ? [] : [`${id}: told ${costUsd}, charged ${usdOf.get(id)}`];
  });
}

test('CRASH-1 CRASH-2 one of two gateways killed under 200 streams: books balanced, and all of it can be spent again', async () => {
  const database = await freshDatabase();
  const gateways = await Gateways.start({ databaseUrl: database.url, count: 2, models });
  const { rows, end } = await connect(database.url);
  onTestFinished(async () => {
    await gateways.close();
    await end();
    await database.drop();
  });
  const accounts = await Promise.all(Array.from({ length: 10 }, () => gateways.account(1)));
  // As much as each has, so that a part of a limit leased by a dead process would be missed, too.
  await rows('update api_keys set spend_limit_nano_usd = 1000000000');
  // The answers begin together, when all have been asked for, so that none is over before the last is under way.
  let begin = (): void => {};
  const begun = new Promise<void>((resolve) => {
    begin = resolve;
  });
  gateways.simulator.script(() => begun.then(() => STREAM), { times: Number.POSITIVE_INFINITY });
  const amid = new Set<number>();
  const streams = Array.from({ length: 200 }, async (_, index) => {
    const body = { model: 'openai/stream', stream: true };
    const seen = await gateways.call(index, accounts[index % 10]!.key, body, () => amid.add(index));
    amid.delete(index);
    return seen;
  });
  await expect.poll(() => gateways.simulator.requests.length).toBe(200);
  begin();
  gateways.simulator.clearScripts();
  // Streams that have not reached their answers yet may be cut as well.
  await expect.poll(() => [...amid].filter((index) => index % 2 === 1).length).toBeGreaterThan(60);
  await gateways.all[1]!.signal('SIGKILL');
  const seen = await Promise.all(streams);
  expect(countStatuses(seen.filter((_, index) => index % 2 === 0))).toEqual({ 200: 100 });
  expect(seen.filter(({ status }) => status === 0).length).toBeGreaterThan(30);

  await expect.poll(() => rows('select id from processes'), PROMISED).toHaveLength(1);
  for (const table of ['account_slices', 'counter_slices']) {
    const leased = await rows(
      `select process_id in (select id from processes) as "isLiving", count(*)::integer as n from ${table} group by 1`,
    );
    expect(leased, table).toEqual([{ isLiving: true, n: expect.any(Number) }]);
  }
  expect(await untoldDifferences(rows, seen)).toEqual([]);
  expect(await gateways.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    discrepancies: [],
    heldReservations: 0,
  });
  // No part of a balance is stuck: a call that needs nearly all of it is served.
  for (const { key } of accounts.slice(0, 3)) {
    const whole = await gateways.call(0, key, { model: 'openai/quick', max_tokens: 490_000 });
    expect(whole.status).toBe(200);
  }
});

test('PGLOSS CRASH-3 PostgreSQL killed -9 under two gateways: nothing lost, and served again within 5 s', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-scale-database-'));
  // It starts its server again when that dies.
  const server = await startEmbedded({ dataFolder: folder, logger: silentLogger });
  const gateways = await Gateways.start({ databaseUrl: server.url, count: 2, models });
  onTestFinished(async () => {
    await gateways.close();
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const accounts = await Promise.all(Array.from({ length: 4 }, () => gateways.account(5)));
  const seen: Seen[] = [];
  let isOver = false;
  const client = async (place: number): Promise<void> => {
    for (let index = place; !isOver; index += 1) {
      const body = place % 2 === 0 ? { model: 'openai/quick' } : { model: 'openai/stream', stream: true };
      seen.push(await gateways.call(index, accounts[place % 4]!.key, body));
      await sleep(20);
    }
  };
  const load = Array.from({ length: 12 }, (_, place) => client(place));
  const served200 = () => countStatuses(seen)[200] ?? 0;
  await expect.poll(served200, PROMISED).toBeGreaterThan(40);
  const before = await findPostmaster(join(folder, 'postgres'));
  process.kill(before!.pid, 'SIGKILL');
  await expect
    .poll(async () => (await findPostmaster(join(folder, 'postgres')))?.pid ?? before!.pid, PROMISED)
    .not.toBe(before!.pid);
  const probe = async () => {
    const client = await connect(server.url);
    await client.end();
    return true;
  };
  await expect.poll(() => probe().catch(() => false), PROMISED).toBe(true);
  const served = async () =>
    (await Promise.all([0, 1].map((place) => gateways.call(place, accounts[0]!.key, { model: 'openai/quick' })))).every(
      ({ status }) => status === 200,
    );
  await expect.poll(served).toBe(true);
  const servedBefore = served200();
  await expect.poll(served200, PROMISED).toBeGreaterThan(servedBefore + 20);
  isOver = true;
  await Promise.all(load);

  // Every refused client was asked to come back; no other call failed.
  const { 200: ok = 0, 503: refused = 0, ...others } = countStatuses(seen);
  expect(others).toEqual({});
  expect(ok).toBeGreaterThan(50);
  expect(seen.filter(({ status, headers }) => status === 503 && headers.get('retry-after') === null)).toEqual([]);
  expect(refused + ok).toBe(seen.length);
  const { rows, end } = await connect(server.url);
  await expect.poll(() => untoldDifferences(rows, seen)).toEqual([]);
  await end();
  expect(await gateways.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    heldReservations: 0,
  });
  expect(gateways.all.every(({ isRunning }) => isRunning)).toBe(true);
});
