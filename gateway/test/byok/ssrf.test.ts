// Hostile addresses in every field that takes one: creating a key, changing it, and dialling a stored address. The
// listener that they point at must never get a connection from the gateway.

import { Client } from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lookup } from '../../src/platform/outbound/resolve-host.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { hostileNames, hostileSpellings } from '../outbound/spellings.ts';
import { setTrap, type Trap } from '../outbound/trap.ts';
import { ByokBed, type Org } from './byok-bed.ts';

let trap: Trap;
let bed: ByokBed;
let harness: Harness;
let org: Org;
let client: Client;
/** Names that are public when they are first asked for, and this machine ever after. */
const asked = new Map<string, number>();

const lookup: Lookup = (name) => {
  const times = (asked.get(name) ?? 0) + 1;
  asked.set(name, times);
  if (name.startsWith('rebinding')) return Promise.resolve(times === 1 ? ['93.184.216.34'] : ['127.0.0.1']);
  const addresses = hostileNames[name];
  return addresses === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(addresses);
};

beforeAll(async () => {
  trap = await setTrap();
  harness = await startHarness({ start: { lookup } });
  bed = new ByokBed(harness, harness.simulator);
  org = await bed.org();
  client = new Client({ connectionString: harness.databaseUrl });
  await client.connect();
});

afterAll(async () => {
  await client.end();
  await harness.close();
  await trap.close();
});

const keyAt = (baseUrl: string): Json => ({
  name: 'x',
  baseUrl,
  apiKey: 'canary',
  fallbackMode: 'strict',
  modelMappings: [{ model: 'openai/test', upstreamModel: 'x', enabled: true }],
});

test('BYOK-05 no spelling of a local address is accepted for a new key', async () => {
  for (const baseUrl of hostileSpellings(trap.port)) {
    const answer = await bed.manage(org.managementKey, 'POST', '', keyAt(baseUrl));
    expect(answer.status, baseUrl).toBe(400);
    expect((answer.body.error as Json).message, baseUrl).toMatch(/^baseUrl: /);
  }
  expect((await bed.manage(org.managementKey, 'GET')).body.keys).toEqual([]);
  expect(trap.hits()).toBe(0);
});

test('BYOK-05 BYOK-10 nor for one that exists', async () => {
  const created = await bed.manage(org.managementKey, 'POST', '', keyAt('https://unknown.example/v1'));
  expect(created.status, created.text).toBe(201);
  const id = String(created.body.id);
  for (const baseUrl of hostileSpellings(trap.port)) {
    const answer = await bed.manage(org.managementKey, 'PATCH', id, { baseUrl });
    expect(answer.status, baseUrl).toBe(400);
    expect((answer.body.error as Json).message, baseUrl).not.toContain('stored key');
  }
  expect((await bed.manage(org.managementKey, 'GET', id)).body.baseUrl).toBe('https://unknown.example/v1');
  await bed.manage(org.managementKey, 'DELETE', id);
  expect(trap.hits()).toBe(0);
});

test('BYOK-05 what is stored all the same is not dialled, neither by calls nor by checks', async () => {
  const created = await bed.manage(org.managementKey, 'POST', '', keyAt('https://unknown.example/v1'));
  const id = String(created.body.id);
  const stored = hostileSpellings(trap.port).filter(
    (text) => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol),
  );
  expect(stored.length).toBeGreaterThan(120);
  for (const text of stored) {
    const { origin, hostname } = new URL(text);
    if (hostname === 'public.example') continue;
    await client.query('update byok_keys set base_url = $2 where id = $1', [id, `${origin}/v1`]);
    await bed.manage(org.managementKey, 'PATCH', id, { name: 'y' });
    const answer = await harness.chat(org.key, { model: 'openai/test' });
    expect([answer.status, (answer.body.error as Json).code], text).toEqual([502, 'upstream_unreachable']);
  }
  await bed.manage(org.managementKey, 'DELETE', id);
  expect(trap.hits()).toBe(0);
});

test('BYOK-05 a name that passes the check and then means this machine reaches nothing', async () => {
  for (let round = 0; round < 20; round += 1) {
    const baseUrl = `http://rebinding-${round}.example:${trap.port}/v1`;
    const created = await bed.manage(org.managementKey, 'POST', '', keyAt(baseUrl));
    expect(created.status, created.text).toBe(201);
    expect(created.body.health).toMatchObject({
      status: 'unhealthy',
      lastError: 'The address of the upstream is not allowed.',
    });
    const answer = await harness.chat(org.key, { model: 'openai/test' });
    expect(answer.status).toBe(502);
    expect(answer.text + created.text).not.toContain('127.0.0.1');
    await bed.manage(org.managementKey, 'DELETE', String(created.body.id));
  }
  expect([...asked].filter(([name, times]) => name.startsWith('rebinding') && times >= 3)).toHaveLength(20);
  expect(trap.hits()).toBe(0);
});
