// Two gateways share one database, and one of them is gone. What it had leased and held returns to the other by itself
// within the promised minute: at once when the process is dead, and after its claim has run out when it hangs.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { PATIENCE_MS } from '../patience.ts';
import { GatewayProcess } from './gateway-process.ts';

/** A hung process keeps its claim for half a minute, which is too long for every run. */
const isLongRun = Number(process.env.TOLLGATE_CRASH_ROUNDS ?? 1) > 1;
const PROMISED = { timeout: PATIENCE_MS, interval: 50 };
const models = { 'openai/stalled': { commands: 'stall' } };

let database: FreshDatabase;
let rows: (text: string) => Promise<Record<string, string>[]>;
let endClient: () => Promise<void>;

beforeAll(async () => {
  database = await freshDatabase();
  const client = new Client({ connectionString: database.url });
  await client.connect();
  rows = async (text) => (await client.query<Record<string, string>>(text)).rows;
  endClient = () => client.end();
});

afterAll(async () => {
  await endClient();
  await database.drop();
});

async function startGateway(): Promise<GatewayProcess> {
  const gateway = await GatewayProcess.prepare(models, {
    DATABASE_URL: database.url,
    TOLLGATE_SECRET: 'test-secret-test-secret-test-secret',
  });
  await gateway.start();
  return gateway;
}

const leased = () => rows('select id from accounts where leased_nano_usd > 0');

const losses: readonly (readonly [string, 'SIGKILL' | 'SIGSTOP'])[] = [
  ['is killed', 'SIGKILL'],
  ...(isLongRun ? [['hangs', 'SIGSTOP'] as const] : []),
];

test.each(losses)('CRASH-1 CRASH-2 what a gateway held that %s comes back to the others', async (_, signal) => {
  const [lost, survivor] = await Promise.all([startGateway(), startGateway()]);
  const key = await lost.account();
  const call = lost.stream(key, 'openai/stalled').catch(() => null);
  await expect.poll(leased).toHaveLength(1);
  if (signal === 'SIGKILL') await lost.signal('SIGKILL');
  else lost.freeze();

  await expect.poll(leased, PROMISED).toEqual([]);
  expect(await rows('select id from processes')).toHaveLength(1);
  // Needs nearly all of the dollar.
  const answer = await survivor.call('POST', '/v1/chat/completions', key, {
    model: 'openai/test',
    max_tokens: 490_000,
    messages: [{ role: 'user', content: 'hi' }],
  });
  expect(answer).toMatchObject({ usage: { cost: expect.any(Number) } });
  expect(await survivor.operate('GET', '/admin/v1/ledger/check?full=true')).toMatchObject({
    ok: true,
    heldReservations: 0,
  });
  await lost.signal('SIGKILL');
  await call;
  await Promise.all([lost.close(), survivor.close()]);
});
