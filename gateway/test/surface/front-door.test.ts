// Promises that single parts keep easily and the whole can break, tried at the door of a running gateway.

import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Harness, type Json, startHarness } from '../harness.ts';

const DAY_MS = 86_400_000;
const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);

let harness: Harness;
let key: string;

beforeAll(async () => {
  harness = await startHarness({
    models: {
      'openai/echo': {},
      'openai/leaving': { entry: { deprecation_date: inDays(20) } },
      'openai/staying': { entry: { deprecation_date: inDays(40) } },
      'openai/o-mini': {},
      'openai/painter': {
        entry: { input_modalities: ['text', 'image'], output_modalities: ['image'], pricing: { image: '0.04' } },
      },
    },
  });
  key = (await harness.account(5)).key;
});

afterAll(() => harness.close());

const MESSAGES = [{ role: 'user', content: 'hi' }];
const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;
const chat = (body: Json, path = '/v1/chat/completions'): Promise<Answer> =>
  harness.request('POST', path, { key, body: { model: 'openai/echo', messages: MESSAGES, ...body } });

function lastUpstream(): Json {
  return JSON.parse(harness.simulator.requests.at(-1)?.body ?? '{}') as Json;
}

describe('CHAT-02 the path of editors is the path of everybody', () => {
  const paths = ['/v1/chat/completions', '/v1/cursor/chat/completions'];
  /** Ids, times and figures of the moment apart. */
  const shapeOf = ({ status, text }: Answer): string =>
    `${status} ${text.replaceAll(/"(?:id|request_id)":"[^"]*"|"created":\d+/g, '').replaceAll(/gen-[\w-]+|req-[\w-]+/g, '')}`;

  test.each<[string, Json]>([
    ['an answer', {}],
    ['a stream', { stream: true }],
    ['a missing field', { messages: undefined }],
    ['a wrong field', { temperature: 'hot' }],
    ['an unknown model', { model: 'openai/nothing' }],
    ['a wrong tool', { tools: [{ type: 'function', function: { name: 'bad name!' } }] }],
  ])('%s', async (_, body) => {
    const [one, other] = await Promise.all(paths.map((path) => chat(body, path)));
    expect(shapeOf(other as Answer)).toBe(shapeOf(one as Answer));
  });

  test('is paid the same', async () => {
    const costs: unknown[] = [];
    for (const path of paths) costs.push(((await chat({}, path)).body.usage as Json).cost);
    expect(costs[0]).toBeGreaterThan(0);
    expect(costs[1]).toBe(costs[0]);
    expect((await harness.request('POST', paths[1] as string, { body: {} })).status).toBe(401);
  });
});

describe('what is wrong with a body is told by its code', () => {
  const tool = (fields: Json): Json => ({ type: 'function', function: { name: 'look', ...fields } });
  test.each<[string, Json, string]>([
    [
      'TOOL-02 ERR-37 a name with a space and a mark',
      { tools: [tool({ name: 'get weather!' })] },
      'invalid_tools_definition',
    ],
    ['TOOL-02 a name in other letters', { tools: [tool({ name: 'wetter_für' })] }, 'invalid_tools_definition'],
    ['TOOL-03 parameters as a text', { tools: [tool({ parameters: '{}' })] }, 'invalid_tools_definition'],
    ['TOOL-03 parameters as a list', { tools: [tool({ parameters: [] })] }, 'invalid_tools_definition'],
    [
      'TOOL-05 a choice that is not among the tools',
      { tools: [tool({})], tool_choice: { type: 'function', function: { name: 'other' } } },
      'invalid_tools_definition',
    ],
    [
      'ERR-36 a schema that is not there',
      { response_format: { type: 'json_schema', json_schema: { name: 'x' } } },
      'invalid_response_format_schema',
    ],
  ])('%s', async (_, body, code) => {
    const before = harness.simulator.requests.length;
    const answer = await chat(body);
    expect([answer.status, codeOf(answer)], answer.text).toEqual([400, code]);
    expect(harness.simulator.requests.length).toBe(before);
  });

  test('TOOL-02 TOOL-03 TOOL-05 what is right passes', async () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } };
    const tools = [tool({ name: 'get_weather-2', parameters })];
    const answer = await chat({ tools, tool_choice: { type: 'function', function: { name: 'get_weather-2' } } });
    expect(answer.status, answer.text).toBe(200);
    expect(lastUpstream().tools).toEqual(tools);
  });
});

describe('CHAT-20 effort', () => {
  test('is what the caller says, and nothing where nothing is said', async () => {
    await chat({ model: 'openai/o-mini' });
    expect(lastUpstream()).not.toHaveProperty('reasoning_effort');
    for (const effort of ['low', 'medium', 'high']) {
      expect((await chat({ model: 'openai/o-mini', reasoning_effort: effort })).status).toBe(200);
      expect(lastUpstream().reasoning_effort).toBe(effort);
    }
  });
});

describe('the catalog', () => {
  const modelsOf = async (path: string): Promise<Map<unknown, Json>> => {
    const { status, body } = await harness.request('GET', path);
    expect(status).toBe(200);
    return new Map((body.data as Json[]).map((model) => [model.id, model]));
  };

  test('CAT-18 a model is called ending from thirty days before its end, and still answers', async () => {
    const models = await modelsOf('/v1/models');
    expect(models.get('openai/leaving')).toMatchObject({ end_of_life: true, expiration_date: inDays(20) });
    expect(models.get('openai/staying')).toMatchObject({ end_of_life: false, expiration_date: inDays(40) });
    expect(models.get('openai/echo')).toMatchObject({ end_of_life: false });
    for (const model of ['openai/leaving', 'openai/staying']) expect((await chat({ model })).status).toBe(200);
  });

  test('CAT-16 pictures are listed for everybody, with their prices', async () => {
    const models = await modelsOf('/v1/images/models');
    expect([...models.keys()]).toEqual(['openai/painter']);
    expect(models.get('openai/painter')).toMatchObject({
      name: expect.any(String),
      pricing: { image: '0.04' },
      architecture: { input_modalities: ['text', 'image'], output_modalities: ['image'] },
      supported_parameters: expect.any(Array),
    });
  });
});

describe('VER-03 what belongs to the site is not below the version', () => {
  test.each(['reports/overview', 'allowed-models', 'circuit-breaker', 'edu/config', 'content-filters', 'audit-log'])(
    '%s',
    async (path) => {
      expect((await harness.request('GET', `/api/orgs/org-1/${path}`)).status).toBe(401);
      const versioned = await harness.request('GET', `/v1/orgs/org-1/${path}`);
      expect([versioned.status, versioned.text]).toEqual([404, expect.stringContaining('nothing at this path')]);
    },
  );
});

describe('limits', () => {
  let limited: Harness;
  beforeAll(async () => {
    const limits = { free_requests_per_minute: 20, paid_requests_per_minute: 200 };
    limited = await startHarness({ document: { limits } });
  });
  afterAll(() => limited.close());

  const limitOf = (answer: Answer): string | null => answer.headers.get('x-ratelimit-limit');

  test('LIM-10 the organization that pays decides how often its keys may call', async () => {
    const { userId } = await limited.account(0);
    const { id } = await limited.operate('POST', '/admin/v1/orgs', { name: 'Acme', ownerUserId: userId });
    const made = await limited.operate('POST', `/admin/v1/orgs/${id}/keys`, { name: 'a', keyType: 'standard', userId });
    const ask = (): Promise<Answer> => limited.request('GET', '/v1/credits', { key: String(made.key) });
    expect(limitOf(await ask())).toBe('20');
    await limited.operate('POST', `/admin/v1/orgs/${id}/credits`, { amountUsd: 50, note: '' });
    await expect.poll(async () => limitOf(await ask())).toBe('200');
  });

  test('LIM-09 management, reports and listings count too', async () => {
    const { key: poor } = await limited.account(0);
    const remaining = async (path: string): Promise<number> =>
      Number((await limited.request('GET', path, { key: poor })).headers.get('x-ratelimit-remaining'));
    // A minute may end between two of them, and then the whole limit is there again.
    const used = async (): Promise<readonly number[]> => {
      const first = await remaining('/v1/credits');
      const later: number[] = [];
      for (const path of ['/v1/usage', '/v1/videos', '/v1/key']) later.push(first - (await remaining(path)));
      return later;
    };
    await expect.poll(used).toEqual([1, 2, 3]);
    // More than two minutes allow, because one may end meanwhile.
    const statuses = await Promise.all(
      Array.from({ length: 260 }, async () => (await fetch(`${limited.url}/v1/models`)).status),
    );
    expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
    expect(new Set(statuses)).toEqual(new Set([200, 429]));
  });
});

describe('a large answer is compressed for whoever takes it', () => {
  /** As it came over the wire: `fetch` would unpack it and say nothing. */
  function raw(path: string, headers: Record<string, string>, body?: Json) {
    return new Promise<Readonly<{ coding: unknown; bytes: Buffer }>>((resolve, reject) => {
      const sent = request(harness.url + path, { method: body === undefined ? 'GET' : 'POST', headers }, (answer) => {
        answer.toArray().then((pieces) => {
          resolve({ coding: answer.headers['content-encoding'], bytes: Buffer.concat(pieces) });
        }, reject);
      });
      sent.on('error', reject).end(body === undefined ? '' : JSON.stringify(body));
    });
  }

  const gzip = { 'Accept-Encoding': 'br, gzip' };
  const operator = { Authorization: `Bearer ${ADMIN_TOKEN}` };
  const caller = () => ({ Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' });

  test('a list of the operator, and the list of models', async () => {
    for (const path of ['/admin/v1/vendors', '/v1/models']) {
      const plain = await raw(path, operator);
      const zipped = await raw(path, { ...operator, ...gzip });
      expect([plain.coding, zipped.coding], path).toEqual([undefined, 'gzip']);
      expect(zipped.bytes.length, path).toBeLessThan(plain.bytes.length / 2);
      expect(gunzipSync(zipped.bytes).equals(plain.bytes), path).toBe(true);
    }
  });

  test('not where it is refused, where it is small, and never what a model says', async () => {
    const refused = await raw('/admin/v1/vendors', { ...operator, 'Accept-Encoding': 'gzip;q=0' });
    expect(refused.coding).toBeUndefined();
    expect((await raw('/v1/key', { ...caller(), ...gzip })).coding).toBeUndefined();
    const long = { model: 'openai/echo', messages: [{ role: 'user', content: 'word '.repeat(5_000) }] };
    const answer = await raw('/v1/chat/completions', { ...caller(), ...gzip }, long);
    expect(answer.coding).toBeUndefined();
    expect(JSON.parse(answer.bytes.toString())).toHaveProperty('choices');
  });
});
