// A provider with several keys: calls are spread by weight, a refused or limited key is not used for a while and
// another serves the same call, and a key is replaced without a failed call.

import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { allCommands } from '../../src/cli/commands/all.ts';
import { runCli } from '../../src/cli/run.ts';
import { ADMIN_TOKEN, type Json } from '../harness.ts';
import { type Providers, routesTo, startProviders } from './providers.ts';

let providers: Providers;
const MODEL = 'acme/keyed';
const OTHER = 'acme/keyed-too';
const PATH = '/admin/v1/providers';

beforeAll(async () => {
  providers = await startProviders({
    providers: {
      keyed: {
        api_key: 'key-first',
        api_keys: { second: { key: 'key-second' }, spare: { key: 'key-spare', weight: 0 } },
      },
      single: { api_key: undefined, api_keys: { only: { key: 'key-only' } } },
    },
    models: {
      [MODEL]: { routes: routesTo({ keyed: '1' }, 'm') },
      [OTHER]: { routes: routesTo({ keyed: '1' }, 'n') },
      'acme/single': { routes: routesTo({ single: '1' }) },
    },
  });
});

afterAll(() => providers.close());

/** Longer than any key is out of use. */
beforeEach(async () => {
  providers.heal();
  await providers.pass(700_000);
});

const statusOf = async (model = MODEL): Promise<number> => (await providers.chat({ model })).status;
const keyViews = async (): Promise<Json[]> => {
  const { data } = await providers.harness.operate('GET', PATH);
  return ((data as Json[]).find(({ name }) => name === 'keyed')?.keys ?? []) as Json[];
};
const stateOf = async (name: string) => (await keyViews()).find((key) => key.name === name)?.state;
const askedDuring = async (run: () => Promise<unknown>): Promise<Record<string, number>> => {
  const names = ['first', 'second', 'spare', 'third'];
  const before = names.map((name) => providers.asked(name));
  await run();
  return Object.fromEntries(names.map((name, index) => [name, providers.asked(name) - (before[index] ?? 0)]));
};

test('calls are spread over the keys, and a spare one has none', async () => {
  const asked = await askedDuring(async () => {
    for (let call = 0; call < 40; call += 1) expect(await statusOf()).toBe(200);
  });
  expect(asked.first).toBeGreaterThan(3);
  expect(asked.second).toBeGreaterThan(3);
  expect(asked).toMatchObject({ spare: 0 });
  expect(await statusOf('acme/single')).toBe(200);
});

test('a key that is refused is set aside on all routes, and no call fails', async () => {
  providers.set('first', 'status-401');
  for (let call = 0; call < 12; call += 1) expect(await statusOf()).toBe(200);
  expect(await stateOf('main')).toBe('refused');
  expect(await askedDuring(() => statusOf(OTHER))).toMatchObject({ first: 0, second: 1 });
  expect(providers.alerts.at(-1)).toMatchObject({ fields: { provider: 'keyed', key: 'main', reason: 'auth_failed' } });
  providers.heal();
  await providers.pass(700_000);
  expect(await stateOf('main')).toBe('usable');
});

test('a call that meets a refused key goes on with another one within the same call', async () => {
  providers.set('first', 'status-403');
  providers.set('second', 'status-401');
  const { status, body } = await providers.chat({ model: MODEL });
  expect(status).toBe(200);
  const { attempts } = await providers.generation(body.id);
  expect(attempts).toMatchObject([
    { provider: 'keyed', outcome: 'auth_failed' },
    { provider: 'keyed', outcome: 'auth_failed' },
    { provider: 'keyed', outcome: 'answered' },
  ]);
});

test('a limit holds for the model that it was met on, until it is over', async () => {
  providers.set('first', 'status-429-retry-after-60', 'm');
  providers.set('second', 'status-429-retry-after-30', 'm');
  expect(await askedDuring(() => statusOf())).toEqual({ first: 1, second: 1, spare: 1, third: 0 });
  expect(await askedDuring(() => statusOf())).toEqual({ first: 0, second: 0, spare: 1, third: 0 });
  expect(await askedDuring(() => statusOf(OTHER))).toMatchObject({ spare: 0 });
  expect(await keyViews()).toMatchObject([
    { name: 'main', state: 'limited', limitedModels: ['m'] },
    { name: 'second', state: 'limited', limitedModels: ['m'] },
    { name: 'spare', state: 'usable' },
  ]);
  providers.heal();
  await providers.pass(31_000);
  expect(await askedDuring(() => statusOf())).toEqual({ first: 0, second: 1, spare: 0, third: 0 });
});

test('when no key is left the caller hears why, and when to come back: the soonest of them', async () => {
  providers.set('first', 'status-401');
  providers.set('second', 'status-429-retry-after-20');
  providers.set('spare', 'status-429-retry-after-40');
  const refused = await providers.chat({ model: MODEL });
  expect(refused.status).toBeGreaterThanOrEqual(429);
  const waiting = await askedDuring(async () => {
    const { status, headers } = await providers.chat({ model: MODEL });
    expect(status).toBe(429);
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(20);
  });
  expect(waiting).toEqual({ first: 0, second: 0, spare: 0, third: 0 });
  providers.heal();
  await providers.pass(21_000);
  expect(await statusOf()).toBe(200);
});

test('a server that fails is no matter of its keys', async () => {
  providers.set('first', 'status-500');
  providers.set('second', 'status-500');
  providers.set('spare', 'status-500');
  const asked = await askedDuring(() => statusOf());
  expect((asked.first ?? 0) + (asked.second ?? 0) + (asked.spare ?? 0)).toBe(2);
  expect(await keyViews()).toMatchObject([{ state: 'usable' }, { state: 'usable' }, { state: 'usable' }]);
});

test('streams too: nothing has reached the client when another key is tried', async () => {
  providers.set('first', 'status-401');
  providers.set('second', 'status-429');
  const { text } = await providers.stream({ model: MODEL });
  expect(text).toContain('[DONE]');
});

test('what is refused: two keys of one name, names and weights that are none, the mask for a key that is not there', async () => {
  const { harness } = providers;
  const live = await harness.operate('GET', '/admin/v1/config');
  const put = async (entry: Json): Promise<string> => {
    const keyed = { ...((live.providers as Json).keyed as Json), ...entry };
    const document = { ...live, providers: { ...(live.providers as Json), keyed } };
    const answer = await harness.request('PUT', '/admin/v1/config', { key: ADMIN_TOKEN, body: document });
    expect(answer.status).toBe(400);
    return answer.text;
  };
  expect(await put({ api_keys: { main: { key: 'x' } } })).toContain('is what api_key is called');
  expect(await put({ api_keys: { 'a b': { key: 'x' } } })).toContain('keyed');
  expect(await put({ api_keys: { a: { key: 'x', weight: -1 } } })).toContain('from 0 to 1000');
  expect(await put({ api_keys: { nobody: { key: '********' } } })).toContain('no key is stored');
  expect(await put({ base_url: 'http://127.0.0.1:9/v1' })).toContain('give the key again');
});

async function tollgate(...parameters: string[]) {
  const printed: string[] = [];
  const environment = {
    ...{ TOLLGATE_URL: providers.harness.url, TOLLGATE_ADMIN_TOKEN: ADMIN_TOKEN },
    ...{ NEW_KEY: 'key-third', BAD_KEY: 'key-bad' },
  };
  const terminal = { print: (text: string) => printed.push(text), printError: (text: string) => printed.push(text) };
  const code = await runCli({ commands: allCommands, parameters, environment, terminal });
  return { code, text: printed.join('\n') };
}

test('a key is replaced, weighed and taken away without a call that fails, and never shown', async () => {
  let isOver = false;
  const statuses = new Set<number>();
  const calling = (async () => {
    while (!isOver) statuses.add(await statusOf());
  })();
  providers.set('bad', 'status-401');
  const bad = await tollgate('provider', 'set-key', 'keyed', 'second', '--key-env', 'BAD_KEY');
  expect(bad.code).toBe(1);
  expect(bad.text).toContain('Nothing was changed');
  const replaced = await tollgate('provider', 'set-key', 'keyed', 'second', '--key-env', 'NEW_KEY');
  expect(replaced, replaced.text).toMatchObject({ code: 0 });
  expect(replaced.text).toContain('api_keys.second.key changed');
  const unsaid = await tollgate('provider', 'remove-key', 'keyed', 'main');
  expect(unsaid).toMatchObject({ code: 1 });
  const removed = await tollgate('provider', 'remove-key', 'keyed', 'main', '--yes');
  expect(removed, removed.text).toMatchObject({ code: 0 });
  const weighed = await tollgate('provider', 'set-key', 'keyed', 'second', '--weight', '5');
  expect(weighed, weighed.text).toMatchObject({ code: 0 });
  isOver = true;
  await calling;
  expect([...statuses]).toEqual([200]);
  expect(await askedDuring(() => statusOf())).toEqual({ first: 0, second: 0, spare: 0, third: 1 });
  const listed = await tollgate('provider', 'keys', 'keyed');
  expect(listed.text).toMatch(/second .* 5 +usable/);
  const shown = JSON.stringify(await providers.harness.operate('GET', '/admin/v1/config'));
  for (const { text } of [bad, replaced, removed, weighed, listed, { text: shown }])
    expect(text).not.toMatch(/key-\w+/);
});

test('the only key cannot be taken away, and the main one gets a weight by moving among the others', async () => {
  const only = await tollgate('provider', 'remove-key', 'single', 'only', '--yes');
  expect(only.text).toContain('only key');
  await tollgate('provider', 'set-key', 'heartbeat', 'main', '--weight', '3');
  const { providers: entries } = await providers.harness.operate('GET', '/admin/v1/config');
  expect((entries as Json).heartbeat).toMatchObject({ api_keys: { main: { key: '********', weight: 3 } } });
  expect((entries as Json).heartbeat).not.toHaveProperty('api_key');
  await providers.pass(1_000);
});

test('of the last two keys one stays, although both are removed at once', async () => {
  await providers.harness.operate('PUT', `${PATH}/single/keys/other`, { apiKey: 'key-second', test: false });
  const remove = (key: string) =>
    providers.harness.request('DELETE', `${PATH}/single/keys/${key}`, { key: ADMIN_TOKEN });
  const answers = await Promise.all([remove('only'), remove('other')]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
  const { data } = await providers.harness.operate('GET', PATH);
  expect((data as Json[]).find(({ name }) => name === 'single')).toMatchObject({ hasKey: true, keys: [{}] });
});
