// Every address that a customer gives for something of theirs to be connected (a receiver of notices, a collector, a
// bucket, a guard, an issuer), with every spelling of an address that must not be reached. For another field, add a row.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type FilteredOrg, type GuardBed, startGuardBed } from '../guardrails/guard-bed.ts';
import type { Answer, Json } from '../harness.ts';
import { hostileNames, hostileSpellings } from './spellings.ts';
import { setTrap, type Trap } from './trap.ts';

type Field = Readonly<{ name: string; method: 'POST' | 'PUT'; path: string; body(url: string): Json }>;

const bucket = { bucket: 'abc', region: 'x', accessKeyId: 'a', secretAccessKey: 'b' };

const notice = (channel: string): Field => ({
  ...{ name: `a ${channel} of notices`, method: 'POST', path: '/notices/addresses' },
  body: (target) => ({ channel, target, kinds: ['balance.low'] }),
});

const feed = (form: string, more: Json = {}): Field => ({
  ...{ name: `a feed in the form ${form}`, method: 'POST', path: '/feeds' },
  body: (url) => ({ name: 'Ours', form, url, ...more }),
});

const guard = (form: string): Field => ({
  ...{ name: `a guard in the form ${form}`, method: 'POST', path: '/guards' },
  body: (url) => ({ name: 'Watch', form, url, apiKey: 'k', stages: ['before'] }),
});

const ISSUER: Field = {
  ...{ name: 'an issuer', method: 'PUT', path: '/sign-on' },
  body: (issuer) => ({ issuer, clientId: 'tollgate', clientSecret: 'a secret of this test' }),
};

const FIELDS: readonly Field[] = [
  ...['webhook', 'slack'].map(notice),
  ...[feed('otlp'), feed('http'), feed('s3', bucket)],
  ...['webhook', 'presidio', 'lakera', 'moderations'].map(guard),
  ISSUER,
];

let bed: GuardBed;
let trap: Trap;
let org: FilteredOrg;

const give = ({ method, path, body }: Field, url: string): Promise<Answer> =>
  bed.harness.request(method, `/api/orgs/${org.id}${path}`, { key: org.adminKey, body: body(url) });

beforeAll(async () => {
  trap = await setTrap();
  const records = new Map<string, string>();
  bed = await startGuardBed({
    start: {
      lookup: async (name) => {
        if (name === 'receiver.example') return ['93.184.216.34'];
        const addresses = hostileNames[name];
        if (addresses === undefined) throw new Error('no such name');
        return addresses;
      },
      resolveTxt: async (name) => [[records.get(name) ?? '']],
    },
  });
  org = await bed.org();
  const domains = `/api/orgs/${org.id}/domains`;
  const claimed = await bed.harness.request('POST', domains, { key: org.adminKey, body: { domain: 'acme.example' } });
  records.set(String(claimed.body.recordName), String(claimed.body.recordValue));
  const checked = await bed.harness.request('POST', `${domains}/acme.example/check`, { key: org.adminKey });
  expect(checked.status, checked.text).toBe(200);
});

afterAll(async () => {
  await bed.harness.close();
  await trap.close();
});

test.each(FIELDS)('SSRF-1 $name: no spelling is taken, with or without TLS, and none is dialled', async (field) => {
  const plain = hostileSpellings(trap.port);
  const spellings = [...plain, ...plain.map((url) => url.replace(/^http:/, 'https:'))];
  expect(spellings.length).toBeGreaterThan(240);
  const taken: string[] = [];
  const work = async (): Promise<void> => {
    for (let url = spellings.pop(); url !== undefined; url = spellings.pop()) {
      const { status, text } = await give(field, url);
      if (status !== 400) taken.push(`${url} ${status}`);
      if (text.includes('127.0.0.1') || text.includes('ECONN')) taken.push(`${url} tells where it leads`);
    }
  };
  await Promise.all(Array.from({ length: 6 }, work));
  expect(taken).toEqual([]);
  expect(trap.hits()).toBe(0);
  // The same wish with an address that may be reached is taken. Nobody answers there as an issuer does.
  if (field !== ISSUER) expect((await give(field, 'https://receiver.example/in')).status).toBe(201);
});
