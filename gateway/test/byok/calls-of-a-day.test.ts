// Calls over an organization's own upstream leave records that nobody pays for: a day has room for a number of them.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, configDocument, type Json } from '../harness.ts';
import { type ByokBed, startByokBed } from './byok-bed.ts';

let bed: ByokBed;

beforeAll(async () => {
  const { limits } = configDocument('', {});
  const document = { limits: { ...(limits as Json), own_upstream_calls_per_day: 3 } };
  bed = await startByokBed({ models: { 'openai/down': { commands: 'status-500' } }, document });
});

afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await bed.close();
});

const chat = (key: string, body: Json = {}): Promise<Answer> =>
  bed.harness.chat(key, { model: 'openai/test', ...body });

test('DOS-1 a person whose calls of the day are used up is told when to come back; calls that are paid for go on', async () => {
  const org = await bed.org(10);
  await bed.create(org);
  const ids: unknown[] = [];
  for (const stream of [false, true, false]) {
    const answer = await chat(org.key, { stream });
    expect(answer.status).toBe(200);
    if (!stream) ids.push(answer.body.id);
  }
  const refused = await chat(org.key);
  expect([refused.status, refused.text]).toEqual([429, expect.stringContaining('3 for a person')]);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  expect(bed.calls()).toHaveLength(3);
  for (const id of ids) expect(await bed.generation(org.key, id)).toMatchObject({ provider: 'byok' });
  // Another model is the platform's, and as a fallback of one the own upstream is not asked either.
  const paid = await chat(org.key, { model: 'openai/down', models: ['openai/test'] });
  expect(paid.status).toBe(200);
  expect(bed.calls()).toHaveLength(3);
  expect(await bed.generation(org.key, paid.body.id)).toMatchObject({ provider: 'sim' });
  const other = await bed.org(10);
  await bed.create(other);
  expect((await chat(other.key)).status).toBe(200);
});

test('DOS-1 calls that fail over an own upstream count, because they are recorded too', async () => {
  const org = await bed.org(10);
  await bed.create(org, {
    fallbackMode: 'strict',
    modelMappings: [{ model: 'openai/test', upstreamModel: 'sim-status-500', enabled: true }],
  });
  for (let call = 0; call < 3; call += 1) expect((await chat(org.key)).status).toBe(502);
  expect((await chat(org.key)).status).toBe(429);
});
