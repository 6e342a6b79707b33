// Which models an organization's keys may call: three lists, their intersection, and that nothing gets past them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTwoGateways } from '../caps/two-gateways.ts';
import { codeOf, messageOf, OrgBed, startOrgBed } from './org-bed.ts';

let bed: OrgBed;

const IMAGES = { output_modalities: ['text', 'image'] };

beforeAll(async () => {
  bed = await startOrgBed({
    models: {
      'openai/gpt-4.1': {},
      'openai/broken': { commands: 'status-500' },
      'other/plain': {},
      'other/second': {},
      'other/painter': { entry: IMAGES },
      'Mixed/Case': {},
      'other/embedder': { entry: { output_modalities: ['embeddings'] } },
    },
    document: {
      auto: {
        paid: { simple: { enabled: true, models: ['openai/test', 'other/plain', 'other/second'] } },
        free: {},
      },
    },
  });
});

afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  await bed.harness.close();
});

type Org = Awaited<ReturnType<OrgBed['organization']>>;

/** An organization with credit, a member in a team, and a key that the member holds. */
async function household(): Promise<{ org: Org; teamId: string; memberId: string; key: string }> {
  const org = await bed.organization();
  await bed.credit(org.id, 50);
  const teamId = await bed.team(org);
  const { memberId, userId } = await bed.member(org, { teamId });
  return { org, teamId, memberId, key: await bed.orgKey(org.id, userId) };
}

const setList = (org: Org, layer: string, allowedModels: readonly string[]) =>
  bed.call(org.admin, 'PATCH', `/api/orgs/${org.id}${layer}/allowed-models`, { allowedModels });

const called = async (key: string, model: string): Promise<string> => {
  const answer = await bed.harness.chat(key, { model });
  return answer.status === 200 ? 'served' : `${answer.status} ${codeOf(answer)}`;
};

const REFUSED = '403 model_not_allowed';

describe('the lists', () => {
  test('ALLOW-01 ALLOW-02 ALLOW-04 each layer is read and replaced as a whole, with what is left of all', async () => {
    const { org, teamId, memberId } = await household();
    const [team, member] = [`/teams/${teamId}`, `/members/${memberId}`];
    const read = async (layer: string) =>
      (await bed.call(org.admin, 'GET', `/api/orgs/${org.id}${layer}/allowed-models`)).body;
    for (const layer of ['', team, member]) expect(await read(layer)).toEqual({ allowedModels: [], effective: null });

    expect((await setList(org, '', ['openai/*', 'other/plain', 'openai/*'])).body).toEqual({
      allowedModels: ['openai/*', 'other/plain'],
      effective: ['openai/*', 'other/plain'],
    });
    expect(await read(member)).toEqual({ allowedModels: [], effective: ['openai/*', 'other/plain'] });
    expect((await setList(org, team, ['openai/test', 'other/*'])).body).toEqual({
      allowedModels: ['openai/test', 'other/*'],
      effective: ['other/plain', 'openai/test'],
    });
    expect((await setList(org, member, ['other/second'])).body).toEqual({
      allowedModels: ['other/second'],
      effective: [],
    });
    expect((await setList(org, '', [])).body).toEqual({ allowedModels: [], effective: null });
    expect((await setList(org, member, [])).body).toMatchObject({ effective: ['openai/test', 'other/*'] });
    expect(await read(team)).toMatchObject({ allowedModels: ['openai/test', 'other/*'] });
  });

  test('ALLOW-05 ALLOW-06 what is no entry, or too much, is refused, and the list stays', async () => {
    const { org } = await household();
    await setList(org, '', ['openai/test']);
    const long = (length: number): string => `openai/${'x'.repeat(length - 'openai/'.length)}`;
    const many = (count: number): string[] => Array.from({ length: count }, (_, index) => `a/m${index}`);
    const refused: unknown[] = [
      ['*'],
      ['openai/gpt-*'],
      ['openai*'],
      ['*/*'],
      ['openai/**'],
      ['openai'],
      ['openai/'],
      ['/test'],
      ['OpenAI/test'],
      ['openai/Test'],
      ['openai/te st'],
      ['a/b/c'],
      [''],
      [long(101)],
      many(201),
      ['openai/test', 5],
      'openai/test',
      null,
    ];
    for (const list of refused) {
      const answer = await setList(org, '', list as string[]);
      expect(answer.status, JSON.stringify(list).slice(0, 60)).toBe(400);
      expect(messageOf(answer)).toContain('allowedModels');
    }
    const path = `/api/orgs/${org.id}/allowed-models`;
    expect((await bed.call(org.admin, 'PATCH', path, {})).status).toBe(400);
    const unknown = await bed.call(org.admin, 'PATCH', path, { allowedModels: ['openai/test'], mode: 'deny' });
    expect([unknown.status, unknown.headers.get('x-tollgate-ignored-fields')]).toEqual([200, 'mode']);
    expect((await bed.call(org.admin, 'GET', path)).body.allowedModels).toEqual(['openai/test']);
    for (const list of [[long(100)], many(200), ['a/*', 'a.b-c/d_e.f:free']]) {
      expect((await setList(org, '', list)).status).toBe(200);
    }
  });

  test('ORG-04 ALLOW-01 layers of another organization do not exist', async () => {
    const { org } = await household();
    const foreign = await household();
    for (const [layer, missing] of [
      [`/teams/${foreign.teamId}`, '/teams/team-0'],
      [`/members/${foreign.memberId}`, '/members/mem-0'],
    ] as const) {
      const answers = [await setList(org, layer, ['openai/*']), await setList(org, missing, ['openai/*'])];
      expect(answers.map(({ status }) => status)).toEqual([404, 404]);
      expect(answers[0]?.text).toBe(answers[1]?.text);
    }
    expect(await called(foreign.key, 'other/plain')).toBe('served');
  });
});

describe('a call', () => {
  test('ALLOW-03 ALLOW-04 ALLOW-07 ALLOW-08 is judged by what the layers leave, from the next one on', async () => {
    const { org, teamId, memberId, key } = await household();
    expect(await called(key, 'other/plain')).toBe('served');
    await setList(org, '', ['openai/*', 'other/plain']);
    expect([await called(key, 'other/plain'), await called(key, 'other/second')]).toEqual(['served', REFUSED]);
    await setList(org, `/teams/${teamId}`, ['openai/test']);
    expect([await called(key, 'openai/test'), await called(key, 'other/plain')]).toEqual(['served', REFUSED]);
    await setList(org, `/members/${memberId}`, ['other/plain']);
    expect([await called(key, 'openai/test'), await called(key, 'other/plain')]).toEqual([REFUSED, REFUSED]);
    for (const layer of ['', `/teams/${teamId}`, `/members/${memberId}`]) await setList(org, layer, []);
    expect(await called(key, 'other/second')).toBe('served');
  });

  test('ALLOW-07 that is refused holds and costs nothing, and says so before the balance is looked at', async () => {
    const org = await bed.organization();
    const key = await bed.orgKey(org.id, org.admin.userId);
    await setList(org, '', ['openai/test']);
    const refused = await bed.harness.chat(key, { model: 'other/plain' });
    expect(refused.body).toEqual({
      error: { message: expect.stringContaining('other/plain'), type: 'permission_error', code: 'model_not_allowed' },
    });
    expect(await called(key, 'openai/test')).toBe('402 insufficient_credits');
    const spent = await bed.harness.request('GET', '/v1/credits', { key });
    expect(spent.body.data).toEqual({ total_credits: 0, total_usage: 0 });
  });

  test('ALLOW-07 AMB-46 that does not fit its endpoint learns that first', async () => {
    const { org, key } = await household();
    await setList(org, '', ['openai/test']);
    expect(await called(key, 'other/embedder')).toBe('400 embedding_on_chat_endpoint');
    expect(await called(key, 'other/nosuch')).toBe('400 unknown_model');
  });

  test('ALLOW-07 is judged by the model it means, whatever it is called and through whichever dialect', async () => {
    const { org, key } = await household();
    await setList(org, '', ['other/plain', 'mixed/case']);
    const spellings = [
      'openai/gpt-4.1',
      'openai/gpt-4-1',
      'gpt-4.1',
      'gpt-4-1',
      'openai/gpt-4.1:floor',
      'gpt-4.1:nitro',
    ];
    for (const name of [...spellings, 'openai/gpt-4.1:free', 'openai/gpt-4.1:online']) {
      expect(await called(key, name), name).toBe(REFUSED);
    }
    expect(await called(key, 'Mixed/Case')).toBe('served');
    await setList(org, '', ['openai/gpt-4.1']);
    for (const name of spellings) expect(await called(key, name), name).toBe('served');
    const responses = await bed.harness.request('POST', '/v1/responses', {
      key,
      body: { model: 'other/plain', input: 'x' },
    });
    expect([responses.status, codeOf(responses)]).toEqual([403, 'model_not_allowed']);
    const messages = await bed.harness.request('POST', '/v1/messages', {
      key,
      body: { model: 'other/plain', max_tokens: 10, messages: [{ role: 'user', content: 'x' }] },
    });
    expect([messages.status, codeOf(messages)]).toEqual([403, 'model_not_allowed']);
    const stream = await bed.harness.chat(key, { model: 'other/plain', stream: true });
    expect([stream.status, codeOf(stream)]).toEqual([403, 'model_not_allowed']);
  });

  test('ALLOW-09 AMB-43 passes over fallbacks that are not allowed, and is refused by its first choice alone', async () => {
    const { org, key } = await household();
    await setList(org, '', ['openai/broken', 'other/second']);
    const answer = await bed.harness.chat(key, { model: 'openai/broken', models: ['other/plain', 'other/second'] });
    expect([answer.status, answer.body.model]).toEqual([200, 'other/second']);
    const first = await bed.harness.chat(key, { model: 'other/plain', models: ['other/second'] });
    expect([first.status, codeOf(first)]).toEqual([403, 'model_not_allowed']);
    const none = await bed.harness.chat(key, { model: 'openai/broken', models: ['other/plain'] });
    expect(none.status).toBe(502);
  });

  test('ALLOW-09 AUTO-01 takes what the auto router may choose, and is refused when that is nothing', async () => {
    const { org, key } = await household();
    const auto = async (): Promise<unknown[]> => {
      const messages = [{ role: 'user', content: 'What is the capital of Peru?' }];
      const answer = await bed.harness.chat(key, { model: 'auto', messages });
      return [answer.status, answer.headers.get('x-auto-resolved-model') ?? codeOf(answer)];
    };
    expect(await auto()).toEqual([200, 'openai/test']);
    await setList(org, '', ['other/*']);
    expect(await auto()).toEqual([200, 'other/plain']);
    await setList(org, '', ['other/second', 'openai/gpt-4.1']);
    expect(await auto()).toEqual([200, 'other/second']);
    await setList(org, '', ['openai/gpt-4.1']);
    expect(await auto()).toEqual([403, 'model_not_allowed']);
  });

  test('ALLOW-03 with a person’s own key is not bound by the person’s organization', async () => {
    const { org } = await household();
    await setList(org, '', ['openai/test']);
    const person = await bed.harness.account(5);
    const member = await bed.harness.operate('POST', '/admin/v1/orgs', { name: 'B', ownerUserId: person.userId });
    expect(member.id).toBeDefined();
    expect(await called(person.key, 'other/plain')).toBe('served');
  });
});

describe('listings', () => {
  const ids = (answer: { body: Record<string, unknown> }): string[] =>
    (answer.body.data as { id: string }[]).map(({ id }) => id);

  test('CAT-14 CAT-15 CAT-17 show an organization’s key what it may call, and everybody else everything', async () => {
    const { org, key } = await household();
    await setList(org, '', ['other/*']);
    const path = '/v1/models';
    expect(ids(await bed.harness.request('GET', path, { key })).sort()).toEqual([
      'other/painter',
      'other/plain',
      'other/second',
    ]);
    const everything = ids(await bed.harness.request('GET', path));
    expect(everything).toEqual(expect.arrayContaining(['openai/test', 'other/plain', 'Mixed/Case']));
    expect(ids(await bed.harness.request('GET', path, { key: 'sk-tg-invalid' }))).toEqual(everything);
    expect(ids(await bed.harness.request('GET', '/v1/images/models', { key }))).toEqual(['other/painter']);
    await setList(org, '', ['openai/*']);
    expect(ids(await bed.harness.request('GET', '/v1/images/models', { key }))).toEqual([]);
    expect(ids(await bed.harness.request('GET', '/v1/images/models'))).toEqual(['other/painter']);
  });

  test('CAT-14 a model that is not allowed is, by its slug, as if it were not there', async () => {
    const { org, key } = await household();
    await setList(org, '', ['other/plain']);
    const of = (slug: string) => bed.harness.request('GET', `/v1/models/${slug}`, { key });
    expect((await of('other-plain')).body).toMatchObject({ id: 'other/plain' });
    const hidden = await of('openai-test');
    const missing = await of('openai-nosuch');
    expect([hidden.status, codeOf(hidden), hidden.text]).toEqual([404, 'model_not_found', missing.text]);
    expect((await bed.harness.request('GET', '/v1/models/openai-test')).status).toBe(200);
  });
});

test('ALLOW-08 a change counts in every process within moments', async () => {
  const gateways = await startTwoGateways({ models: { 'other/plain': {} } });
  try {
    const first = new OrgBed(gateways.first);
    const org = await first.organization();
    await first.credit(org.id, 5);
    const key = await first.orgKey(org.id, org.admin.userId);
    const status = async (): Promise<number> => (await gateways.second.chat(key, { model: 'other/plain' })).status;
    expect(await status()).toBe(200);
    const path = `/api/orgs/${org.id}/allowed-models`;
    await first.call(org.admin, 'PATCH', path, { allowedModels: ['openai/test'] });
    await expect.poll(status).toBe(403);
    await first.call(org.admin, 'PATCH', path, { allowedModels: [] });
    await expect.poll(status).toBe(200);
  } finally {
    await gateways.close();
  }
});
