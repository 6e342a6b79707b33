// The health of an organization's own upstream: learned from calls and from the regular check, and its effect on calls.

import { startSimulator } from '@tollgate/simulator';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Clock, systemClock } from '../../src/platform/clock.ts';
import { startTwoGateways } from '../caps/two-gateways.ts';
import type { Json } from '../harness.ts';
import { ByokBed, type Org, startByokBed } from './byok-bed.ts';

/** Time that a test moves; periodic work runs then, as it would have in the meantime. */
class AheadClock implements Clock {
  #aheadMs = 0;
  readonly #runs = new Set<() => void>();

  move(durationMs: number): void {
    this.#aheadMs += durationMs;
    for (const run of this.#runs) run();
  }

  readonly nowMs = (): number => systemClock.nowMs() + this.#aheadMs;
  readonly monotonicMs = systemClock.monotonicMs;
  readonly every = (intervalMs: number, run: () => void): (() => void) => {
    this.#runs.add(run);
    const stop = systemClock.every(intervalMs, run);
    return () => {
      this.#runs.delete(run);
      stop();
    };
  };
  readonly sleep = systemClock.sleep;
}

let clock: AheadClock;
let bed: ByokBed;
let org: Org;

beforeAll(async () => {
  clock = new AheadClock();
  bed = await startByokBed({ start: { clock }, models: { 'openai/test': { commands: 'tokens-100-20' } } });
});

beforeEach(async () => {
  bed.clear();
  org = await bed.org(1);
});

afterAll(() => bed.close());

async function healthOf(id: unknown): Promise<Json> {
  return (await bed.manage(org.managementKey, 'GET', String(id))).body.health as Json;
}

const until = (isSo: () => Promise<boolean>) => expect.poll(isSo).toBe(true);

const call = (caller: Org = org) => bed.harness.chat(caller.key, { model: 'openai/test' });

test('BYOK-14 calls show in the health of the key', async () => {
  const { id } = await bed.create(org, { fallbackMode: 'strict' });
  expect((await healthOf(id)).status).toBe('healthy');
  bed.upstream.script('status-500');
  await call();
  await until(async () => (await healthOf(id)).lastError === 'The upstream answers with errors.');
  expect((await healthOf(id)).status).toBe('unhealthy');
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  await call();
  await until(async () => (await healthOf(id)).status === 'healthy');
  bed.upstream.script('status-400');
  expect((await call()).status).toBe(400);
  expect((await healthOf(id)).status).toBe('healthy');
});

test('BYOK-13 an upstream that keeps failing is spared for a while, and no other key with it', async () => {
  const second = await bed.org(1);
  await bed.create(org);
  await bed.create(second, { apiKey: 'the-key-of-the-second' });
  bed.clear();
  bed.upstream.script(
    (request) => (String(request.headers.authorization).includes('second') ? undefined : 'status-500') ?? 'tokens-1-1',
    {
      times: 100,
    },
  );
  for (let round = 0; round < 8; round += 1) expect((await call()).status).toBe(200);
  expect(bed.calls()).toHaveLength(5);
  expect(bed.platformCalls()).toHaveLength(8);
  expect((await call(second)).status).toBe(200);
  expect(bed.calls()).toHaveLength(6);
  const { key } = await bed.harness.account(1);
  expect((await bed.harness.chat(key, { model: 'openai/test' })).status).toBe(200);
});

test('BYOK-13 a strict upstream is asked every time, however often it failed', async () => {
  await bed.create(org, { fallbackMode: 'strict' });
  bed.clear();
  bed.upstream.script('status-500', { times: 8 });
  for (let round = 0; round < 8; round += 1) expect((await call()).status).toBe(502);
  expect(bed.calls()).toHaveLength(8);
  expect((await call()).status).toBe(200);
});

test('BYOK-12 a change made at one gateway counts at the others', async () => {
  const env = { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' };
  const upstream = await startSimulator();
  const { first, second, close } = await startTwoGateways({ env });
  const pair = new ByokBed(first, upstream);
  const owner = await pair.org(1);
  // An answer of the own upstream costs nothing.
  const isOwn = async (): Promise<boolean> => {
    const { status, body } = await second.chat(owner.key, { model: 'openai/test' });
    expect(status).toBe(200);
    return (body.usage as Json).cost === 0;
  };
  expect(await isOwn()).toBe(false);
  const { id } = await pair.create(owner, { fallbackMode: 'strict' });
  await until(isOwn);
  await pair.manage(owner.managementKey, 'DELETE', String(id));
  await until(async () => !(await isOwn()));
  await close();
  await upstream.close();
});

test('BYOK-14 a key that nobody uses is checked now and then, unless it is switched off', async () => {
  const { id } = await bed.create(org, { apiKey: 'the-key-that-is-idle' });
  const { id: off } = await bed.create(org, { apiKey: 'the-key-that-is-idle-and-off', enabled: false });
  const before = await healthOf(id);
  bed.clear();
  bed.upstream.script('status-401', { path: '/models', times: 10 });
  clock.move(660_000);
  await until(async () => (await healthOf(id)).status === 'unhealthy');
  const after = await healthOf(id);
  expect(after.lastError).toBe('The upstream does not accept the key.');
  expect(Date.parse(String(after.lastCheckedAt)) - Date.parse(String(before.lastCheckedAt))).toBeGreaterThan(600_000);
  expect((await healthOf(off)).status).toBe('healthy');
  const checked = bed.upstream.requests.filter(({ headers }) => String(headers.authorization).includes('idle'));
  expect(checked).toHaveLength(1);
});
