// DNS rebinding from the outside: a stranger's name server gives one answer when an address is checked and another when
// it is dialled, in every way that a name server can. The listener that it points at must never get a connection from
// the gateway, through any field that takes an address.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createOutbound } from '../../src/platform/outbound/outbound.ts';
import { ForbiddenUrlError } from '../../src/platform/outbound/outbound-error.ts';
import { createDnsLookup } from '../../src/platform/outbound/resolve-host.ts';
import { ByokBed, type Org } from '../byok/byok-bed.ts';
import { type Harness, type Json, startHarness } from '../harness.ts';
import { paint, paintingModel } from '../images/image-harness.ts';
import { setTrap, type Trap } from '../outbound/trap.ts';
import { video } from '../videos/video-bed.ts';
import { type HostileDns, startHostileDns, type Zone } from './hostile-dns.ts';

const PUBLIC = ['93.184.216.34'];
const LOCAL = ['127.0.0.1'];

/** What a name says, by its first label: to questions after IPv4 addresses, and to those after others. */
const LIES: Readonly<Record<string, Zone>> = {
  'public-then-local': (_, type, times) => (type === 'AAAA' ? [] : times === 1 ? PUBLIC : LOCAL),
  'now-and-then': (_, type, times) => (type === 'AAAA' ? [] : times % 2 === 1 ? PUBLIC : LOCAL),
  'both-at-once': (_, type) => (type === 'AAAA' ? [] : [...PUBLIC, ...LOCAL]),
  'other-family': (_, type) => (type === 'AAAA' ? ['::1'] : PUBLIC),
  mapped: (_, type) => (type === 'AAAA' ? ['::ffff:7f00:1'] : PUBLIC),
  'through-nat': (_, type) => (type === 'AAAA' ? ['64:ff9b::7f00:1'] : []),
  'six-to-four': (_, type) => (type === 'AAAA' ? ['2002:7f00:1::'] : []),
  'this-network': (_, type) => (type === 'AAAA' ? [] : ['0.0.0.0']),
  metadata: (_, type) => (type === 'AAAA' ? [] : ['169.254.169.254']),
  'a-hundred': (_, type) => (type === 'AAAA' ? [] : [...Array.from({ length: 25 }, () => '93.184.216.34'), ...LOCAL]),
};
const NAMES = Object.keys(LIES);
/** Names for which every answer but the first is false, so that no real machine is dialled. */
const STEADY = NAMES.filter((name) => name !== 'now-and-then');

let dns: HostileDns;
let trap: Trap;
let harness: Harness;

const zone: Zone = (name, type, times) => {
  const lie = LIES[name.split('.', 1)[0]?.replace(/^x\d+-/, '') ?? ''];
  if (lie !== undefined) return lie(name, type, times);
  return name.startsWith('garbage') ? Buffer.from('not a message of this protocol at all') : null;
};

beforeAll(async () => {
  [dns, trap] = await Promise.all([startHostileDns(zone), setTrap()]);
  // A route that has failed is out of use for a while, so each false answer has a route of its own.
  const linkers = NAMES.map((name) => {
    const routes = [{ provider: 'sim', upstream_model: `${name}.sim-image-url` }];
    return [`acme/linker-${name}`, { ...paintingModel(), routes }] as const;
  });
  const models = { 'acme/film': video('video-queue-0+video-run-0'), ...Object.fromEntries(linkers) };
  harness = await startHarness({ models, start: { lookup: createDnsLookup([dns.server]) } });
});

afterAll(async () => {
  expect(trap.hits()).toBe(0);
  expect(await harness.ledgerCheck()).toMatchObject({ ok: true, discrepancies: [] });
  await harness.close();
  await Promise.all([dns.close(), trap.close()]);
});

describe('the client for strangers addresses', () => {
  const purpose = { allowHttp: true, allowHighPorts: true };
  const limits = { timeoutMs: 3_000, responseBytesMax: 1_000 };

  test.each(NAMES)(
    'BYOK-05 SSRF-1 a name that is %s is checked and dialled a hundred times, and reaches nothing',
    async (name) => {
      const outbound = createOutbound({ allowCidrs: [], lookup: createDnsLookup([dns.server]) });
      const url = `http://x1-${name}.example:${trap.port}/`;
      for (let round = 0; round < 100; round += 1) {
        await outbound.checkUrl(url, purpose).catch(() => undefined);
        const error = await outbound.request({ url, purpose, ...limits }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(ForbiddenUrlError);
      }
      expect(trap.hits()).toBe(0);
    },
  );

  test('BYOK-05 a server that says nothing, or no DNS at all, holds nobody up for long', async () => {
    const outbound = createOutbound({ allowCidrs: [], lookup: createDnsLookup([dns.server]) });
    for (const name of ['silent.example', 'garbage.example']) {
      const error = await outbound
        .request({ url: `http://${name}/`, purpose, ...limits })
        .catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/unreachable|timeout/);
    }
  });
});

describe('an organization s own upstream', () => {
  let bed: ByokBed;
  let org: Org;

  beforeAll(async () => {
    bed = new ByokBed(harness, harness.simulator);
    org = await bed.org();
  });

  test.each(STEADY)('BYOK-05 at a name that is %s: neither its check nor a call reaches the listener', async (name) => {
    const body = {
      ...{ name, baseUrl: `http://x2-${name}.example:${trap.port}/v1`, apiKey: 'canary', fallbackMode: 'strict' },
      modelMappings: [{ model: 'openai/test', upstreamModel: 'x', enabled: true }],
    };
    const created = await bed.manage(org.managementKey, 'POST', '', body);
    expect([201, 400]).toContain(created.status);
    expect(created.text).not.toContain('127.0.0.1');
    if (created.status === 201) {
      const answer = await harness.chat(org.key, { model: 'openai/test' });
      expect(answer.status).toBe(502);
      expect(answer.text).not.toContain('127.0.0.1');
      await bed.manage(org.managementKey, 'DELETE', String(created.body.id));
    }
    expect(trap.hits()).toBe(0);
  });
});

test.each(STEADY)('VID-11 a callback at a name that is %s is not called', async (name) => {
  const { key } = await harness.account(5);
  const callback_url = `https://x3-${name}.example/hook`;
  const body = { model: 'acme/film', prompt: 'A boat.', duration: 4, callback_url };
  const answer = await harness.request('POST', '/v1/videos', { key, body });
  expect([202, 400]).toContain(answer.status);
  expect(trap.hits()).toBe(0);
});

test.each(STEADY)('A13 IMG-13 a picture that an upstream says is at a name that is %s is not fetched', async (name) => {
  harness.simulator.script(
    (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ created: 1, data: [{ url: `http://x4-${name}.example:${trap.port}/a.png` }] }));
      return undefined;
    },
    { path: '/images/generations' },
  );
  const { key } = await harness.account(5);
  const answer = await paint(harness, key, { model: `acme/linker-${name}` });
  expect([answer.status, (answer.body.error as Json).code]).toEqual([502, 'pipeline_error']);
  expect(answer.text).not.toContain('127.0.0.1');
  expect(trap.hits()).toBe(0);
});
