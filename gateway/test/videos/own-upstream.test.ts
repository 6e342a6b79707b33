// Videos by an organization's own upstream: free, under its own key, and ordered from the platform only when that
// upstream has certainly not taken the order.

import { type Simulator, startSimulator } from '@tollgate/simulator';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ByokBed, type Org } from '../byok/byok-bed.ts';
import type { Json } from '../harness.ts';
import { QUICK, VideoBed, video } from './video-bed.ts';

let bed: VideoBed;
let own: Simulator;
let org: Org;

beforeAll(async () => {
  own = await startSimulator();
  bed = await VideoBed.open({ 'acme/film': video(QUICK) });
  org = await new ByokBed(bed.harness, own).org(5);
});

afterAll(async () => {
  await bed.close();
  await own.close();
});

const bring = async (fallbackMode: string, upstreamModel: string): Promise<string> => {
  const created = await new ByokBed(bed.harness, own).manage(org.managementKey, 'POST', '', {
    name: 'own',
    baseUrl: `${own.url}/v1`,
    apiKey: 'own-secret-key',
    fallbackMode,
    modelMappings: [{ model: 'acme/film', upstreamModel, enabled: true }],
  });
  expect(created.status, created.text).toBe(201);
  return String(created.body.id);
};

const remove = (id: string) => new ByokBed(bed.harness, own).manage(org.managementKey, 'DELETE', id);

test('BYOK-15 VID-20 an own upstream makes the video for nothing, and is asked with its own key', async () => {
  const byokKey = await bring('strict', `sim-${QUICK}`);
  const before = bed.orders().length;
  const id = await bed.order(org.key, { model: 'acme/film', duration: 12 });
  expect((await bed.pollLater(org.key, id)).body).toMatchObject({ status: 'completed', usage: { cost: 0 } });
  const content = await fetch(`${bed.harness.url}/v1/videos/${id}/content`, {
    headers: { Authorization: `Bearer ${org.key}` },
  });
  expect([content.status, (await content.arrayBuffer()).byteLength]).toEqual([200, 65_536]);
  const asked = own.requests.filter(({ path }) => path.includes('/videos'));
  expect(new Set(asked.map(({ headers }) => headers.authorization))).toEqual(new Set(['Bearer own-secret-key']));
  expect(asked.length).toBeGreaterThanOrEqual(3);
  expect(bed.orders().length).toBe(before);
  await remove(byokKey);
});

test('BYOK-15 a seamless one that refuses is replaced by the platform at its price, a strict one is not', async () => {
  const seamless = await bring('seamless', 'sim-status-503');
  const id = await bed.order(org.key, { model: 'acme/film', duration: 4 });
  expect((await bed.pollLater(org.key, id)).body).toMatchObject({ status: 'completed', usage: { cost: 0.4 } });
  await remove(seamless);
  const strict = await bring('strict', 'sim-status-503');
  const refused = await bed.submit(org.key, { model: 'acme/film' });
  expect([refused.status, (refused.body.error as Json).message]).toEqual([
    502,
    "Your organization's own upstream failed to answer.",
  ]);
  await remove(strict);
  await bed.assertBalanced();
});

test('BYOK-15 a job whose upstream was taken away expires', async () => {
  const byokKey = await bring('strict', `sim-${QUICK}`);
  const id = await bed.order(org.key, { model: 'acme/film' });
  await remove(byokKey);
  expect((await bed.pollLater(org.key, id)).body.status).toBe('pending');
  expect((await bed.pollLater(org.key, id, 3_600_000)).body).toMatchObject({
    status: 'failed',
    error: { code: 'expired' },
  });
});
