// Bounds on what a customer may have hold however many requests arrive at the same moment.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ByokBed, startByokBed } from '../byok/byok-bed.ts';
import type { Json } from '../harness.ts';

const ADDRESS = 'https://93.184.216.34/receiver';

let bed: ByokBed;

beforeAll(async () => {
  bed = await startByokBed({ models: { 'openai/stuck': { commands: 'stall' } } });
});

afterAll(() => bed.close());

const kinds: readonly (readonly [string, number, Json])[] = [
  ['feeds', 3, { name: 'Ours', form: 'http', url: ADDRESS }],
  ['guards', 5, { name: 'Ours', form: 'webhook', url: ADDRESS, stages: ['before'] }],
  ['notices/addresses', 20, { channel: 'webhook', target: ADDRESS, kinds: ['key.expiring'] }],
];

test.each(kinds)('DOS-1 of %s an organization has %i, also when more are made at once', async (path, most, body) => {
  const org = await bed.org();
  const make = () => bed.harness.request('POST', `/api/orgs/${org.id}/${path}`, { key: org.managementKey, body });
  const statuses = (await Promise.all(Array.from({ length: most + 10 }, make))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 201)).toHaveLength(most);
  expect(statuses.filter((status) => status === 409)).toHaveLength(10);
});

test('DOS-1 an address for notices is tried thirty times a day, also when it is tried more often at once', async () => {
  const org = await bed.org();
  const at = `/api/orgs/${org.id}/notices/addresses`;
  const wish = { channel: 'webhook', target: ADDRESS, kinds: ['key.expiring'] };
  const made = await bed.harness.request('POST', at, { key: org.managementKey, body: wish });
  const attempt = () => bed.harness.request('POST', `${at}/${made.body.id}/test`, { key: org.managementKey, body: {} });
  const statuses = (await Promise.all(Array.from({ length: 120 }, attempt))).map(({ status }) => status);
  expect(statuses.filter((status) => status === 204).length).toBeLessThanOrEqual(30);
  expect(statuses).toContain(429);
});

test('DOS-1 of jobs an account has 200 under way, also when more are ordered at once', async () => {
  const { key } = await bed.harness.account();
  const order = () => bed.harness.chat(key, { model: 'openai/stuck' }, { Prefer: 'respond-async' });
  const statuses = (await Promise.all(Array.from({ length: 240 }, order))).map(({ status }) => status);
  // On a busy machine there is no connection to the database in time for some.
  expect(statuses.filter((status) => status === 202).length).toBeLessThanOrEqual(200);
  expect(statuses).toContain(429);
});
