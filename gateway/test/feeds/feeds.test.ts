// Records of calls reach the receivers that an organization or the operator has named: each record at least once, only
// their own records, in the words of the conventions, and no receiver can make a call slower or dearer.

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { type FilteredOrg, type GuardBed, startGuardBed } from '../guardrails/guard-bed.ts';
import type { Answer, Json } from '../harness.ts';
import { setTrap } from '../outbound/trap.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';
import { KNOWN_KEY, startBucketServer } from './bucket-server.ts';
import { pointsIn, spansIn } from './conventions.ts';
import { FEED_ADDRESS, FEED_HOST, type FeedReceiver, startFeedReceiver } from './feed-receiver.ts';

const DAY_MS = 86_400_000;
const PROMPT = 'the-canary-in-the-prompt';
const CLIENT = 3;
const ERROR = 2;
const SLOW = 'tokens-100-20+chunks-3+delay-300';

const clock = new ShiftedClock();
let bed: GuardBed;
let receiver: FeedReceiver;
let dataDir: string;
let rebinding: readonly string[] = ['93.184.216.34'];

beforeAll(async () => {
  // The receivers' certificates are their own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  dataDir = await mkdtemp(join(tmpdir(), 'feeds-data-'));
  bed = await startGuardBed({
    env: { TOLLGATE_SSRF_ALLOW: `${FEED_ADDRESS}/32`, TOLLGATE_DATA_DIR: dataDir },
    models: {
      'openai/slow': { commands: SLOW },
      'openai/broken': { commands: 'status-400' },
    },
    start: {
      clock,
      lookup: async (name) => {
        if (name === FEED_HOST) return [FEED_ADDRESS];
        if (name === 'rebinding.example') return rebinding;
        throw new Error('no such name');
      },
    },
  });
});
afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  await bed.harness.close();
  await rm(dataDir, { recursive: true });
});
beforeEach(async () => {
  receiver = await startFeedReceiver();
});
afterEach(() => receiver.close());

const pathOf = ({ id }: FilteredOrg): string => `/api/orgs/${id}/feeds`;

const add = (org: FilteredOrg, feed: Json): Promise<Answer> =>
  bed.harness.request('POST', pathOf(org), { key: org.adminKey, body: { name: 'Ours', ...feed } });

async function fed(feed: Json): Promise<{ org: FilteredOrg; made: Json }> {
  const org = await bed.org();
  const answer = await add(org, { url: receiver.url, ...feed });
  expect(answer.status, answer.text).toBe(201);
  return { org, made: answer.body };
}

async function all(org: FilteredOrg): Promise<readonly Json[]> {
  const { body } = await bed.harness.request('GET', pathOf(org), { key: org.adminKey });
  return body.feeds as Json[];
}

/** The first of the organization's feeds, as it sees it. */
const seen = async (org: FilteredOrg): Promise<Json> => (await all(org))[0] ?? {};

async function call(key: string, model = 'openai/test', more: Json = {}): Promise<string> {
  const answer = await bed.harness.chat(key, { model, messages: [{ role: 'user', content: PROMPT }], ...more });
  return String(answer.headers.get('x-generation-id'));
}

const idsOf = (lines: readonly Json[]): readonly string[] => [...new Set(lines.map(({ id }) => String(id)))].sort();

// This comes first, while the clock is right: a bucket refuses signatures of another time.
test('a bucket gets compressed lines by day, with signatures that it verifies, and those it refused once more', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'feeds-'));
  const server = await startBucketServer(directory, 'calls');
  const url = `https://${FEED_HOST}:${server.port}`;
  // A prefix whose characters have to be written in one way only.
  const place = { form: 's3', url, bucket: 'calls', region: 'eu-1', prefix: 'acme/a=b/' };
  try {
    const { org } = await fed({ ...place, accessKeyId: KNOWN_KEY, secretAccessKey: KNOWN_KEY });
    server.behave(503);
    const id = await call(org.key);
    await expect.poll(async () => (await seen(org)).failure).toBe('status 503');
    expect(await seen(org)).toMatchObject({ waiting: 1, delivered: 0 });
    server.behave(null);
    clock.move(5_000);
    await expect.poll(async () => (await seen(org)).delivered).toBe(1);
    const day = new Date(clock.nowMs()).toISOString().slice(0, 10).replaceAll('-', '/');
    expect(await server.objects()).toEqual([
      expect.stringMatching(`^acme/a=b/${day}/${id}-[0-9a-f]{24}[.]jsonl[.]gz$`),
    ]);
    expect(await server.lines()).toMatchObject([{ id, account_id: org.id }]);
    expect(server.answers).toEqual(['503 SlowDown', '200']);

    for (const [accessKeyId, code] of [
      [KNOWN_KEY, 'SignatureDoesNotMatch'],
      ['SOMEBODY', 'InvalidAccessKeyId'],
    ]) {
      const { org: wrong } = await fed({ ...place, accessKeyId, secretAccessKey: 'guessed' });
      await call(wrong.key);
      await expect.poll(async () => (await seen(wrong)).failure).toBe('status 403');
      expect(server.answers.at(-1)).toBe(`403 ${code}`);
      expect(await seen(wrong)).toMatchObject({ waiting: 1, delivered: 0 });
    }
    expect(await server.lines()).toHaveLength(1);
  } finally {
    await server.close();
    await rm(directory, { recursive: true });
  }
});

test('a test sends a record that never was, says how it went, counts nowhere, and is not repeated at will', async () => {
  const { org, made } = await fed({ form: 'http', enabled: false });
  const path = `${pathOf(org)}/${String(made.id)}/test`;
  const ask = (key = org.adminKey) => bed.harness.request('POST', path, { key, body: {} });
  expect((await ask()).body).toEqual({ taken: true, failure: null });
  const [sent] = receiver.arrived;
  expect(
    new Webhook(String(made.secret)).verify(sent?.text ?? '', sent?.headers as Record<string, string>),
  ).toMatchObject({
    account_id: org.id,
    model: 'tollgate/test',
  });
  expect((await ask()).status).toBe(429);
  expect((await ask((await bed.org()).adminKey)).status).toBe(404);
  expect(await seen(org)).toMatchObject({ waiting: 0, delivered: 0, failure: null });
  clock.move(5_000);
  receiver.answerWith((response) => void response.writeHead(403).end());
  expect((await ask()).body).toEqual({ taken: false, failure: 'status 403' });
});

test('a collector gets spans and metrics in the words of the conventions, with the header that it wants', async () => {
  const headers = [{ name: 'X-Tenant', value: 'acme secret' }];
  const { org } = await fed({ form: 'otlp', url: `${receiver.url}/otel/`, headers, signals: ['traces', 'metrics'] });
  const whole = await call(org.key);
  const streamed = await call(org.key, 'openai/slow', { stream: true });
  await call(org.key, 'openai/broken');
  clock.move(5_000);
  const texts = (path: string) => receiver.arrived.filter((one) => one.path === path).map(({ text }) => text);
  const spans = () => texts('/otel/v1/traces').flatMap(spansIn);
  await expect.poll(() => spans().length).toBeGreaterThanOrEqual(3);
  const named = (id: string) => spans().find(({ attributes }) => attributes['gen_ai.response.id'] === id)!;
  expect(named(whole)).toMatchObject({
    name: 'chat openai/test',
    kind: CLIENT,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'sim',
      'gen_ai.request.model': 'openai/test',
      'gen_ai.response.model': 'openai/test',
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.request.stream': false,
      'tollgate.account_id': org.id,
      'tollgate.key_id': org.keyId,
    },
  });
  expect(named(whole).status).toBeUndefined();
  const { attributes, startTimeUnixNano, endTimeUnixNano } = named(streamed);
  const lastedSeconds = Number(BigInt(endTimeUnixNano) - BigInt(startTimeUnixNano)) / 1e9;
  const firstSeconds = Number(attributes['gen_ai.response.time_to_first_chunk']);
  expect(firstSeconds).toBeGreaterThan(0);
  expect(lastedSeconds).toBeGreaterThan(firstSeconds);
  expect(spans().find(({ name }) => name === 'chat openai/broken')).toMatchObject({
    status: { code: ERROR },
    attributes: { 'error.type': '400' },
  });

  const points = () => texts('/otel/v1/metrics').flatMap(pointsIn);
  const sum = (metric: string, wanted: Json): number =>
    points()
      .filter((point) => point.metric === metric)
      .filter(({ attributes: own }) => Object.entries(wanted).every(([key, value]) => own[key] === value))
      .reduce((total, point) => total + point.sum, 0);
  const slow = { 'gen_ai.request.model': 'openai/slow' };
  await expect.poll(() => sum('gen_ai.client.token.usage', { ...slow, 'gen_ai.token.type': 'output' })).toBe(20);
  expect(sum('gen_ai.client.token.usage', { ...slow, 'gen_ai.token.type': 'input' })).toBe(100);
  expect(sum('gen_ai.client.operation.duration', slow)).toBeCloseTo(lastedSeconds, 2);
  expect(sum('gen_ai.client.operation.time_to_first_chunk', slow)).toBeCloseTo(firstSeconds, 2);

  expect(new Set(receiver.arrived.map((one) => one.headers['x-tenant']))).toEqual(new Set(['acme secret']));
  const all = receiver.arrived.map(({ text }) => text).join('\n');
  for (const secret of [PROMPT, org.key, 'acme secret']) expect(all).not.toContain(secret);
});

test('lines are signed, and hold the calls of the organization and of nobody else', async () => {
  const { org, made } = await fed({ form: 'http', headers: [{ name: 'authorization', value: 'Bearer theirs' }] });
  const other = await bed.org();
  const { key: personal } = await bed.harness.account();
  await Promise.all([call(other.key), call(personal)]);
  const ids = [await call(org.key), await call(org.key)];
  clock.move(5_000);
  await expect.poll(() => idsOf(receiver.lines())).toEqual(ids.sort());
  const [first] = receiver.arrived;
  expect(first!.headers).toMatchObject({ 'content-type': 'application/x-ndjson', authorization: 'Bearer theirs' });
  const webhook = new Webhook(String(made.secret));
  for (const { text, headers } of receiver.arrived) {
    // The library reads one document; a batch is several lines of them.
    const verify = () => webhook.verify(text, headers as Record<string, string>);
    if (text.trim().includes('\n')) expect(verify).toThrow(SyntaxError);
    else expect(verify()).toMatchObject({ account_id: org.id });
  }
  expect(() => webhook.verify(`${first!.text} `, first!.headers as Record<string, string>)).toThrow(/signature/i);
  expect(receiver.lines()[0]).toMatchObject({ model: 'openai/test', status: 200, cost: expect.any(Number) });
  await expect.poll(async () => (await seen(org)).delivered).toBe(2);
  expect(await seen(org)).toMatchObject({ waiting: 0, lost: 0, failure: null, deliveredAt: expect.any(String) });
});

test('a record that comes late, behind younger ones, and records of a time of trouble all arrive', async () => {
  const { org } = await fed({ form: 'http' });
  let goOn = (): void => {};
  const isGoingOn = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  bed.harness.simulator.script(() => isGoingOn.then(() => SLOW), { model: `sim-${SLOW}` });
  const slow = call(org.key, 'openai/slow', { stream: true });
  await bed.harness.simulator.waitFor(({ json }) => (json as Json | undefined)?.model === `sim-${SLOW}`);
  const quick = [await call(org.key), await call(org.key)];
  await expect.poll(() => idsOf(receiver.lines())).toEqual(quick.sort());
  goOn();
  const early = [...quick, await slow];
  clock.move(5_000);
  await expect.poll(() => idsOf(receiver.lines())).toEqual(early.sort());

  receiver.answerWith((response) => response.writeHead(503).end());
  const troubled = [await call(org.key), await call(org.key)];
  clock.move(5_000);
  await expect.poll(async () => (await seen(org)).failure).toBe('status 503');
  receiver.answerWith((response) => response.end());
  clock.move(20_000);
  await expect.poll(() => idsOf(receiver.lines())).toEqual([...early, ...troubled].sort());
  await expect.poll(() => seen(org)).toMatchObject({ failure: null, lost: 0, waiting: 0 });
});

test('receivers that hang hold up no call and no other feed', async () => {
  receiver.answerWith(() => {});
  const { org } = await fed({ form: 'otlp' });
  const notices = `/api/orgs/${org.id}/notices/addresses`;
  const wish = { channel: 'webhook', target: `${receiver.url}/notices`, kinds: ['balance.low'] };
  const told = await bed.harness.request('POST', notices, { key: org.adminKey, body: wish });
  expect(told.status, told.text).toBe(201);
  await bed.harness.request('POST', `${notices}/${String(told.body.id)}/test`, { key: org.adminKey, body: {} });
  await call(org.key);
  const waiting = (): number => new Set(receiver.arrived.map(({ path }) => path)).size;
  await expect.poll(waiting).toBe(2);
  // Nobody has had an answer there, and every call has one here.
  const calls = await Promise.all(Array.from({ length: 20 }, () => call(org.key)));
  expect(new Set(calls).size).toBe(20);
  const hanging = receiver.arrived.length;
  const healthy = await startFeedReceiver();
  const other = await bed.org();
  expect((await add(other, { form: 'http', url: healthy.url })).status).toBe(201);
  const answers = await Promise.all([call(org.key), call(other.key)]);
  await expect.poll(() => idsOf(healthy.lines())).toEqual([answers[1]]);
  expect(receiver.arrived).toHaveLength(hanging);
  await healthy.close();
});

test('what is refused for what it is, and what is too old, is given up and counted', async () => {
  receiver.answerWith((response) => response.writeHead(400).end());
  const { org } = await fed({ form: 'http' });
  await call(org.key);
  await expect.poll(async () => (await seen(org)).lost).toBe(1);
  expect(await seen(org)).toMatchObject({ waiting: 0, delivered: 0, failure: 'status 400' });
  receiver.answerWith((response) => response.writeHead(401).end());
  await call(org.key);
  clock.move(5_000);
  await expect.poll(async () => (await seen(org)).failure).toBe('status 401');
  expect(await seen(org)).toMatchObject({ waiting: 1, lost: 1 });
  clock.move(4 * DAY_MS);
  await expect.poll(async () => (await seen(org)).lost).toBe(2);
  expect(await seen(org)).toMatchObject({ waiting: 0 });
});

test('the operator has the calls of all accounts, in files that go after their time; nobody else may have files', async () => {
  const { id } = await bed.harness.operate('POST', '/admin/v1/feeds', { name: 'All', form: 'file', keepDays: 2 });
  const org = await bed.org();
  const { key: personal } = await bed.harness.account();
  const ids = [await call(org.key), await call(personal)];
  const folder = join(dataDir, 'feeds', String(id));
  const kept = async (): Promise<readonly string[]> => (await readdir(folder).catch(() => [])).sort();
  const lines = async (): Promise<Json[]> => {
    const texts = await Promise.all((await kept()).map((name) => readFile(join(folder, name), 'utf8')));
    return texts.flatMap((text) => text.trim().split('\n')).map((line) => JSON.parse(line) as Json);
  };
  await expect.poll(async () => idsOf(await lines())).toEqual(expect.arrayContaining(ids));
  const [oldest] = await kept();
  clock.move(3 * DAY_MS);
  await call(org.key);
  await expect.poll(kept).not.toContain(oldest);
  expect((await add(org, { form: 'file' })).status).toBe(400);
  await bed.harness.operate('DELETE', `/admin/v1/feeds/${String(id)}`);
});

test('addresses that are private, lead inside later, or break the message are refused', async () => {
  const org = await bed.org();
  const refused = [
    { form: 'otlp', url: 'https://127.0.0.1' },
    { form: 'http', url: 'https://169.254.169.254/latest' },
    { form: 's3', url: 'https://10.0.0.1', bucket: 'abc', region: 'x', accessKeyId: 'a', secretAccessKey: 'b' },
    { form: 'http', url: 'http://example.com' },
    { form: 'otlp', url: `${receiver.url}/?x=` },
    {
      form: 's3',
      url: receiver.url,
      bucket: 'abc',
      region: 'x',
      prefix: '../',
      accessKeyId: 'a',
      secretAccessKey: 'b',
    },
    { form: 'http', url: receiver.url, headers: [{ name: 'content-length', value: '3' }] },
    { form: 'http', url: receiver.url, headers: [{ name: 'x', value: 'a\r\nb: c' }] },
    { form: 'http' },
    { form: 's3', url: receiver.url, region: 'x' },
  ];
  for (const feed of refused) expect((await add(org, feed)).status, JSON.stringify(feed)).toBe(400);

  const trap = await setTrap();
  rebinding = ['93.184.216.34'];
  const keys = { bucket: 'abc', region: 'x', accessKeyId: 'a', secretAccessKey: 'b' };
  for (const more of [{ form: 'http' }, { form: 'otlp' }, { form: 's3', ...keys }]) {
    const feed = { url: `https://rebinding.example:${trap.port}`, ...more };
    expect((await add(org, feed)).status, JSON.stringify(feed)).toBe(201);
  }
  rebinding = ['127.0.0.1'];
  await call(org.key);
  clock.move(60_000);
  await expect
    .poll(async () => (await all(org)).map(({ failure }) => failure))
    .toEqual(['forbidden', 'forbidden', 'forbidden']);
  expect(trap.hits()).toBe(0);
  await trap.close();
});

test('feeds are three, are in the log without their secrets, and stop when they are switched off', async () => {
  const { org, made } = await fed({ form: 'http', url: `${receiver.url}/private-part` });
  for (const _ of [2, 3]) expect((await add(org, { form: 'otlp', url: receiver.url })).status).toBe(201);
  expect((await add(org, { form: 'otlp', url: receiver.url })).status).toBe(409);
  const change = (id: string, method: string, body?: Json) =>
    bed.harness.request(method, `${pathOf(org)}/${id}`, { key: org.adminKey, ...(body === undefined ? {} : { body }) });
  expect((await change(String(made.id), 'PATCH', { enabled: false })).body).toMatchObject({ enabled: false });
  await call(org.key);
  await expect.poll(() => receiver.arrived.length).toBeGreaterThanOrEqual(2);
  expect(receiver.lines()).toHaveLength(receiver.arrived.length);
  expect(receiver.arrived.filter(({ path }) => path === '/private-part')).toEqual([]);
  expect((await change(String(made.id), 'DELETE')).status).toBe(204);
  expect((await change(String(made.id), 'DELETE')).status).toBe(404);
  const log = await bed.log(org, 'org.feed.create');
  expect(log).toHaveLength(3);
  const shown = JSON.stringify([log, await seen(org), await bed.log(org, 'org.feed.delete')]);
  for (const secret of ['private-part', String(made.secret)]) expect(shown).not.toContain(secret);
});

test('whoever wants to know is told once that a feed is not taken', async () => {
  const { org } = await fed({ form: 'http' });
  const base = `/api/orgs/${org.id}/notices`;
  const address = { channel: 'webhook', target: receiver.url, kinds: ['feed.failing'] };
  const made = await bed.harness.request('POST', `${base}/addresses`, { key: org.adminKey, body: address });
  expect(made.status, made.text).toBe(201);
  receiver.answerWith((response) => void response.writeHead(503).end());
  await call(org.key);
  const told = async (): Promise<readonly Json[]> =>
    (await bed.harness.request('GET', base, { key: org.adminKey })).body.log as Json[];
  await expect
    .poll(
      async () => {
        clock.move(15 * 60_000);
        return (await told()).map(({ kind, title }) => `${kind}: ${title}`);
      },
      { interval: 500 },
    )
    .toEqual(['feed.failing: The feed "Ours" is not taken']);
  receiver.answerWith((response) => void response.writeHead(200).end());
  await expect
    .poll(async () => {
      clock.move(15 * 60_000);
      return (await seen(org)).delivered;
    })
    .toBe(1);
  expect(await told()).toHaveLength(1);
});
