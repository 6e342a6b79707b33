// Every field of a customer's call that takes an address, with every spelling of an address that must not be reached.
// For another field, add a row. (Addresses of own upstreams are tried where those are managed.)

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Lookup } from '../../src/platform/outbound/resolve-host.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { video } from '../videos/video-bed.ts';
import { hostileNames, hostileSpellings } from './spellings.ts';
import { setTrap, type Trap } from './trap.ts';

type EntryPoint = Readonly<{
  name: string;
  path: string;
  body(url: string): Json;
  headers?: (url: string) => Record<string, string>;
}>;

const film = { model: 'acme/film', prompt: 'x' };
const image = (url: string): Json => ({ type: 'image_url', image_url: { url } });

const ENTRY_POINTS: readonly EntryPoint[] = [
  { name: 'callback_url', path: '/v1/videos', body: (url) => ({ ...film, callback_url: url }) },
  {
    name: 'callback_url, as https',
    path: '/v1/video/generations',
    body: (url) => ({ ...film, callback_url: url.replace('http:', 'https:') }),
  },
  { name: 'frame_images', path: '/v1/videos', body: (url) => ({ ...film, frame_images: [url] }) },
  { name: 'frame_images as objects', path: '/v1/videos', body: (url) => ({ ...film, frame_images: [image(url)] }) },
  { name: 'input_references', path: '/v1/videos', body: (url) => ({ ...film, input_references: [image(url)] }) },
  { name: 'input_reference', path: '/v1/videos', body: (url) => ({ ...film, input_reference: { image_url: url } }) },
  {
    name: 'a picture in a conversation',
    path: '/v1/chat/completions',
    body: (url) => ({ model: 'acme/looker', messages: [{ role: 'user', content: [image(url)] }] }),
  },
  {
    name: 'the callback of a job',
    path: '/v1/chat/completions',
    body: () => ({ model: 'acme/looker', messages: [{ role: 'user', content: 'x' }] }),
    headers: (url) => ({ Prefer: 'respond-async', 'X-Tollgate-Callback': url.replace('http:', 'https:') }),
  },
  { name: 'input_video', path: '/v1/videos', body: (url) => ({ ...film, input_video: { url } }) },
];

let harness: Harness;
let trap: Trap;
let key: string;

const lookup: Lookup = (name) => {
  const addresses = hostileNames[name];
  return addresses === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(addresses);
};

beforeAll(async () => {
  trap = await setTrap();
  harness = await startHarness({
    models: {
      'acme/film': video('video-run-0'),
      'acme/looker': { routes: [{ provider: 'server', upstream_model: 'sim-plain' }] },
    },
    moreProviders: { server: { pictures: 'data' } },
    start: { lookup },
  });
  ({ key } = await harness.account());
});

afterAll(async () => {
  await harness.close();
  await trap.close();
});

test.each(ENTRY_POINTS)('SSRF-1 VID-11 VID-15 $name: no spelling is taken, and none is dialled', async (entry) => {
  const all = hostileSpellings(trap.port);
  // A header holds nothing but printable ASCII.
  const spellings = all.filter((url) => entry.headers === undefined || /^[!-~]+$/.test(url));
  expect(spellings.length).toBeGreaterThan(120);
  const taken: string[] = [];
  const work = async (): Promise<void> => {
    for (let url = spellings.pop(); url !== undefined; url = spellings.pop()) {
      const headers = entry.headers?.(url) ?? {};
      const answer = await harness.request('POST', entry.path, { key, body: entry.body(url), headers });
      if (answer.status !== 400) taken.push(`${url} ${answer.status}`);
      if (answer.text.includes('127.0.0.1')) taken.push(`${url} tells where it leads`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  expect(taken).toEqual([]);
  expect(trap.hits()).toBe(0);
  expect(harness.simulator.requests).toEqual([]);
});

test('VID-11 a callback is called over https, on its own port', async () => {
  for (const [url, words] of [
    ['http://unknown.example/x', 'callback_url must begin with https://.'],
    ['https://unknown.example:8443/x', 'callback_url must use port 443.'],
    ['https://user:secret@unknown.example/x', 'callback_url must not contain credentials.'],
  ]) {
    const answer = await harness.request('POST', '/v1/videos', { key, body: { ...film, callback_url: url } });
    expect((answer.body.error as Json).message).toBe(words);
  }
});
