// What a signed-in person sees of an account: the figures that a key reads below /v1, their own calls in pages, and
// with the right role those of an organization.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import type { Browser } from './browser.ts';
import { openTown, type Town } from './people.ts';

type Person = Readonly<{ browser: Browser; userId: string; address: string }>;
type List = Readonly<{ data: Json[]; next: string | null }>;

let town: Town;
let ann: Person & { key: string; keyId: string };

async function withKey(person: Person): Promise<Person & { key: string; keyId: string }> {
  const { userId } = person;
  const key = await town.harness.operate('POST', `/admin/v1/users/${userId}/keys`, { name: 'k', keyType: 'standard' });
  return { ...person, key: String(key.key), keyId: String(key.id) };
}

beforeAll(async () => {
  town = await openTown({ models: { 'openai/one': {}, 'openai/two': {} } });
  ann = await withKey(await town.operatorUser());
  await town.harness.operate('POST', `/admin/v1/users/${ann.userId}/credits`, { amountUsd: 20, note: 'test' });
});

afterAll(async () => {
  expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true });
  await town.close();
});

const list = async (browser: Browser, query = ''): Promise<List> => {
  const answer = await browser.get(`/api/account/generations${query}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.body as unknown as List;
};

test('AUTH-15 the twins of credits, usage and generation say what the key is told', async () => {
  const call = await town.harness.chat(ann.key, { model: 'openai/one' });
  const id = call.headers.get('x-generation-id') ?? '';
  for (const [twin, original] of [
    ['/api/account/credits', '/v1/credits'],
    ['/api/account/usage?period=day', '/v1/usage?period=day'],
    [`/api/account/generation?id=${id}`, `/v1/generation?id=${id}`],
  ] as const) {
    const answer = await ann.browser.get(twin);
    const told = await town.harness.request('GET', original, { key: ann.key });
    expect([answer.status, answer.body], twin).toEqual([200, told.body]);
  }
  const other = await town.operatorUser();
  expect((await other.browser.get(`/api/account/generation?id=${id}`)).status).toBe(404);
});

test('AUTH-15 GEN-10 insights take a session, and are that person s', async () => {
  const own = await ann.browser.get('/v1/insights?period=30d');
  expect(own.status).toBe(200);
  expect((await ann.browser.get('/api/account/insights?period=30d')).body.totals).toEqual(own.body.totals);
  expect(Number((own.body.totals as Json).requests)).toBeGreaterThan(0);
  const other = await town.operatorUser();
  expect(((await other.browser.get('/v1/insights?period=30d')).body.totals as Json).requests).toBe(0);
});

test('BILL-12 what a top-up can be paid with is known before one is ordered', async () => {
  const answer = await ann.browser.get('/api/account/topups/options');
  expect([answer.status, answer.body]).toEqual([
    200,
    {
      providers: [],
      channels: [{ channel: 'usd', exchangeRate: '1' }],
      amountUsdMin: 5,
      amountUsdMax: 10_000,
      feePercent: 10,
      vatPercent: 5,
    },
  ]);
});

test('KEY-19 an account shows its owner, its balance and its tier', async () => {
  const credits = (await ann.browser.get('/api/account/credits')).body.data as Json;
  const answer = await ann.browser.get('/api/account');
  expect(answer.body.data).toEqual({
    account_id: ann.userId,
    kind: 'person',
    name: 'Bo',
    email: ann.address,
    balance: Number((Number(credits.total_credits) - Number(credits.total_usage)).toFixed(9)),
    total_credits: 20,
    total_usage: credits.total_usage,
    is_free_tier: false,
    rate_limit: { requests: 100000, interval: '1m' },
  });
  const { browser } = await town.operatorUser();
  expect((await browser.get('/api/account')).body.data).toMatchObject({ balance: 0, is_free_tier: true });
});

describe('the list of calls', () => {
  let bob: Person & { key: string; keyId: string };

  beforeAll(async () => {
    bob = await withKey(await town.operatorUser());
    await town.harness.operate('POST', `/admin/v1/users/${bob.userId}/credits`, { amountUsd: 20, note: 'test' });
    for (let round = 0; round < 7; round++) {
      const model = round % 3 === 0 ? 'openai/two' : 'openai/one';
      await town.harness.chat(bob.key, { model }, round % 2 === 0 ? { 'X-Title': 'app' } : {});
    }
    // Further back: copies of the records on earlier days, with what the sums keep of them.
    await town.rows(
      `insert into generations
       select (jsonb_populate_record(g, jsonb_build_object(
         'id', 'gen-' || lpad(to_hex(d * 100 + row_number() over (order by g.id)), 24, '0'),
         'created_at', g.created_at - d * interval '1 day', 'model_id', 'openai/old', 'cost_nano_usd', 0))).*
       from generations g, generate_series(1, 4) d where g.account_id = $1`,
      [bob.userId],
    );
    await town.rows(
      `select roll_up(array_agg(id), array_agg(created_at)) from generations
       where account_id = $1 and model_id = 'openai/old'`,
      [bob.userId],
    );
  });

  test('newest first, page by page, without gaps or repetition', async () => {
    const whole = await list(bob.browser, '?limit=100');
    expect(whole.data).toHaveLength(35);
    expect(whole.next).toBeNull();
    const times = whole.data.map(({ created_at: at, id }) => `${at} ${id}`);
    expect(times).toEqual([...times].sort().reverse());
    for (const limit of [1, 3, 34, 35]) {
      const pages: Json[] = [];
      for (let after: string | null = ''; after !== null; ) {
        const page: List = await list(bob.browser, `?limit=${limit}${after === '' ? '' : `&after=${after}`}`);
        expect(page.data.length).toBeLessThanOrEqual(limit);
        pages.push(...page.data);
        after = page.next;
      }
      expect(pages, String(limit)).toEqual(whole.data);
    }
  });

  test('an entry has what a table shows', async () => {
    const { data } = await list(bob.browser, '?limit=1');
    expect(data[0]).toEqual({
      id: expect.stringMatching(/^gen-/),
      created_at: expect.stringMatching(/Z$/),
      model: 'openai/two',
      provider: 'sim',
      app_name: 'app',
      key_id: bob.keyId,
      user_id: bob.userId,
      operation: 'chat',
      finish_reason: 'stop',
      status: 200,
      streamed: false,
      duration_ms: expect.any(Number),
      first_token_ms: null,
      prompt_tokens: expect.any(Number),
      completion_tokens: expect.any(Number),
      cost: expect.any(Number),
    });
  });

  test.each([
    ['?model=openai/two', 3],
    ['?model=openai/one', 4],
    ['?model=openai/old&limit=100', 28],
    ['?model=openai/none', 0],
    ['?app=app&limit=100', 20],
    ['?model=openai/one&app=app', 2],
    ['?api_key_id=key-none', 0],
  ])('%s finds %i', async (query, count) => {
    expect((await list(bob.browser, query)).data).toHaveLength(count);
  });

  test('a filter reaches across days without calls of its kind', async () => {
    const first = await list(bob.browser, '?model=openai/old&limit=10');
    const second = await list(bob.browser, `?model=openai/old&limit=10&after=${first.next}`);
    const third = await list(bob.browser, `?model=openai/old&limit=10&after=${second.next}`);
    expect([first, second, third].map(({ data }) => data.length)).toEqual([10, 10, 8]);
    expect(third.next).toBeNull();
  });

  test('days bound it, both counted', async () => {
    const day = (daysAgo: number): string => new Date(Date.now() - daysAgo * 86_400_000).toISOString().slice(0, 10);
    expect((await list(bob.browser, `?from=${day(3)}&to=${day(2)}`)).data).toHaveLength(14);
    expect((await list(bob.browser, `?to=${day(4)}`)).data).toHaveLength(7);
    expect((await list(bob.browser, `?from=${day(0)}`)).data).toHaveLength(7);
  });

  test.each([
    '?from=yesterday',
    '?from=2026-02-30',
    '?from=2026-03-02&to=2026-03-01',
    '?limit=0',
    '?after=x',
    '?after=9_',
  ])('%s is refused by name', async (query) => {
    const answer = await bob.browser.get(`/api/account/generations${query}`);
    expect(answer.status).toBe(400);
    expect(String((answer.body.error as Json).message)).toMatch(/^(?:from|to|limit|after):/);
  });

  test('nobody sees another person s calls', async () => {
    expect((await list((await town.operatorUser()).browser)).data).toEqual([]);
  });
});

describe('AUTH-15 an organization s account', () => {
  let orgId: string;
  let admin: Person;
  const people: Record<string, Person> = {};

  beforeAll(async () => {
    admin = await town.operatorUser();
    const org = { name: 'Org', ownerUserId: admin.userId, billingPlan: 'prepaid' };
    orgId = String((await town.harness.operate('POST', '/admin/v1/orgs', org)).id);
    await town.harness.operate('POST', `/admin/v1/orgs/${orgId}/credits`, { amountUsd: 50, note: 'test' });
    for (const role of ['billing_viewer', 'member']) {
      const person = await town.operatorUser();
      people[role] = person;
      await town.rows('insert into org_members (id, org_id, user_id, role) values ($1, $2, $3, $4)', [
        `mem-${role}`,
        orgId,
        person.userId,
        role,
      ]);
    }
    people.org_admin = admin;
    people.stranger = await town.operatorUser();
  });

  const statusOf = async (who: string, path: string): Promise<number | undefined> =>
    (await people[who]?.browser.get(`${path}${path.includes('?') ? '&' : '?'}orgId=${orgId}`))?.status;

  test.each([
    '/api/account',
    '/api/account/credits',
    '/api/account/usage',
    '/api/account/cache',
    '/api/account/generations',
    '/api/account/topups',
  ])('%s is for its administrators and those who see its bills', async (path) => {
    expect(await statusOf('org_admin', path)).toBe(200);
    expect(await statusOf('billing_viewer', path)).toBe(200);
    expect(await statusOf('member', path)).toBe(403);
    expect(await statusOf('stranger', path)).toBe(404);
  });

  test('it is the organization s figures that are shown', async () => {
    const answer = await admin.browser.get(`/api/account?orgId=${orgId}`);
    expect(answer.body.data).toMatchObject({
      account_id: orgId,
      kind: 'organization',
      name: 'Org',
      email: null,
      balance: 50,
    });
    expect((await admin.browser.get('/api/account')).body.data).toMatchObject({ kind: 'person', balance: 0 });
    const { organizations } = (await admin.browser.get('/api/auth/session')).body;
    expect(organizations).toEqual([{ id: orgId, name: 'Org', role: 'org_admin' }]);
  });

  test('buying for it takes its administrator', async () => {
    const buy = async (who: string): Promise<number | undefined> =>
      (await people[who]?.browser.post(`/api/account/topups?orgId=${orgId}`, { amountUsd: 10 }))?.status;
    expect(await buy('billing_viewer')).toBe(403);
    expect(await buy('stranger')).toBe(404);
    // There is no payment provider here, and the administrator is told so.
    expect([401, 403, 404]).not.toContain(await buy('org_admin'));
  });
});

test('a person s breaker is theirs to read and change with a session', async () => {
  const answer = await ann.browser.request('PATCH', '/api/account/circuit-breaker', {
    cbEnabled: true,
    cbMinuteUsd: 3,
  });
  expect(answer.status).toBe(200);
  const told = await town.harness.request('GET', '/v1/account/circuit-breaker', { key: ann.key });
  expect((told.body.settings as Json).cbMinuteUsd).toBe(3);
});
