// Bounds on what a customer may have hold however many requests arrive at the same moment.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ByokBed, startByokBed } from '../byok/byok-bed.ts';
import type { Json } from '../harness.ts';

const ADDRESS = 'https://93.184.216.34/receiver';

let bed: ByokBed;

beforeAll(async () => {
  bed = await startByokBed();
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
