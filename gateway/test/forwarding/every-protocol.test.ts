// The same names for providers of every protocol: a body that is translated into another format contains no more of
// them than a body that is passed on unchanged.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { entryOf, KINDS, type Kind, type OtherServers, startOtherServers, upstreamModel } from '../faults/upstreams.ts';
import { type Answer, configDocument, type Harness, type Json, startHarness } from '../harness.ts';
import { KEPT } from './keeping-provider.ts';
import { type FormatName, namedState } from './named-state.ts';

const TALK = ['chat', 'responses', 'messages'] as const;
const CONCURRENCY = 12;

const bodies: Readonly<Record<(typeof TALK)[number], Readonly<{ path: string; body: Json }>>> = {
  chat: { path: '/v1/chat/completions', body: { messages: [{ role: 'user', content: 'Hi.' }] } },
  responses: { path: '/v1/responses', body: { input: 'Hi.' } },
  messages: { path: '/v1/messages', body: { messages: [{ role: 'user', content: 'Hi.' }], max_tokens: 50 } },
};

let harness: Harness;
let others: OtherServers;
let key: string;

const modelOf = (kind: Kind): string => `every/${kind}`;

beforeAll(async () => {
  others = await startOtherServers();
  harness = await startHarness();
  const models = Object.fromEntries(
    KINDS.map((kind) => [
      modelOf(kind),
      {
        routes: [{ provider: kind, upstream_model: upstreamModel(kind, 'plain') }],
        entry: { pricing: { prompt: '1', completion: '2', hosted_tool: '0.03', web_search: '0.01' } },
      },
    ]),
  );
  await harness.operate('PUT', '/admin/v1/config', {
    ...configDocument(harness.simulator.url, { models }),
    providers: {
      ...Object.fromEntries(KINDS.map((kind) => [kind, entryOf(kind, harness.simulator.url, others.tokenUrl)])),
      sim: entryOf('chat', harness.simulator.url, others.tokenUrl),
    },
  });
  ({ key } = await harness.account());
});

afterAll(async () => {
  await harness.close();
  others.close();
});

const send = (format: (typeof TALK)[number], kind: Kind, more: Json): Promise<Answer> =>
  harness.request('POST', bodies[format].path, {
    key,
    body: { model: modelOf(kind), ...bodies[format].body, ...more },
  });

const seen = (): string => JSON.stringify(harness.simulator.requests.map(({ path, json }) => [path, json]));

/** Another test covers the same format; this one covers translated bodies. */
const SAME: ReadonlySet<string> = new Set(['chat chat', 'responses responses', 'messages anthropic']);
const cells = TALK.flatMap((format) => KINDS.map((kind): [(typeof TALK)[number], Kind] => [format, kind])).filter(
  (cell) => !SAME.has(cell.join(' ')),
);

test.each(cells)('VER-06 nothing that a provider keeps is named from %s to %s', async (format, kind) => {
  expect((await send(format, kind, {})).status).toBe(200);
  const rows = namedState.filter(({ formats }) => (formats as readonly FormatName[]).includes(format));
  harness.simulator.clearRequests();
  const wrong: string[] = [];
  const waiting = [...rows];
  const work = async (): Promise<void> => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const { status, text } = await send(format, kind, next.body);
      // A strict provider refuses fields that it does not know, also without the names in them.
      const isRefused = status === 400 && !text.includes('unknown_4xx');
      if (status !== 200 && status !== 400) wrong.push(`${next.name}: ${status} ${text}`);
      if (isRefused && next.fate !== 'refused') wrong.push(`${next.name}: refused ${text}`);
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  expect(wrong).toEqual([]);
  expect(harness.simulator.requests.length).toBeGreaterThan(0);
  expect(seen()).not.toContain(KEPT);
});

const SEARCH = { type: 'web_search_20250305', name: 'web_search' };
const CODE = { type: 'code_execution_20250522', name: 'code_execution' };

test.each<['messages' | 'responses', Kind, readonly Json[], string | null]>([
  ['messages', 'anthropic', [SEARCH], null],
  ['messages', 'vertex-claude', [SEARCH, CODE], null],
  ['messages', 'bedrock-claude', [SEARCH], 'web_search'],
  ['messages', 'bedrock-claude', [SEARCH, CODE], 'web_search, hosted_tools'],
  ['messages', 'gemini', [SEARCH], 'web_search'],
  ['messages', 'chat', [SEARCH, CODE], 'web_search, hosted_tools'],
  ['responses', 'responses', [{ type: 'web_search' }], null],
  ['responses', 'bedrock', [{ type: 'web_search' }], 'web_search'],
  ['responses', 'cohere', [{ type: 'function', name: 'tide', parameters: {} }], null],
])('a tool that a provider cannot run is named to the caller: from %s to %s', async (format, kind, tools, left) => {
  const { status, headers } = await send(format, kind, { tools });
  expect([status, headers.get('x-tollgate-left-out')]).toEqual([200, left]);
});

test.each<[Kind, string | null]>([
  ['gemini', null],
  ['anthropic', null],
  ['bedrock', 'web_search'],
  ['bedrock-claude', 'web_search'],
  ['cohere', 'web_search'],
])('ROUTE-07 a model that is asked for online and has no search says so: %s', async (kind, left) => {
  const body = { ...bodies.chat.body, model: `${modelOf(kind)}:online` };
  const { status, headers } = await harness.request('POST', bodies.chat.path, { key, body });
  expect([status, headers.get('x-tollgate-left-out')]).toEqual([200, left]);
});

test.each<[Kind, readonly Json[], string | null]>([
  ['chat', [{ id: 'file-parser', pdf: { engine: 'x' } }], null],
  ['chat', [{ id: 'fusion' }, { id: 'never-heard-of' }], 'fusion'],
  ['anthropic', [{ id: 'web' }, { id: 'file-parser' }], 'file-parser'],
  ['anthropic', [{ id: 'file-parser', enabled: false }], null],
  ['gemini', [{ id: 'no word\nfor a header' }, { id: 'nor: this' }], 'plugins'],
  ['cohere', [{ id: 'web' }, { id: 'file-parser' }], 'web_search, file-parser'],
])('CHAT-13 a plugin that a provider did not get is named: %s, %j', async (kind, plugins, left) => {
  const { status, headers } = await send('chat', kind, { plugins });
  expect([status, headers.get('x-tollgate-left-out')]).toEqual([200, left]);
});

test('VER-06 a tool that Bedrock does not know is not sent there', async () => {
  const own = { name: 'tide', input_schema: { type: 'object' } };
  const sent = async (more: Json): Promise<Json> => {
    const { status, text } = await send('messages', 'bedrock-claude', more);
    expect(status, text).toBe(200);
    const { tools, tool_choice } = (harness.simulator.requests.at(-1)?.json ?? {}) as Json;
    return { tools, tool_choice };
  };
  const fetching = { type: 'web_fetch_20250910', name: 'web_fetch' };
  const choice = { type: 'auto' };
  expect(await sent({ tools: [SEARCH, own, fetching], tool_choice: choice })).toEqual({
    tools: [own],
    tool_choice: choice,
  });
  expect(await sent({ tools: [CODE], tool_choice: choice })).toEqual({});
  expect(await sent({ plugins: [{ id: 'web' }] })).toEqual({});
  // Without this tool the answer would be none.
  const forced = await send('messages', 'bedrock-claude', {
    tools: [SEARCH, own],
    tool_choice: { type: 'tool', name: 'web_search' },
  });
  expect([forced.status, forced.text]).toEqual([400, expect.stringContaining('has no tool web_search')]);
});

test.each<[string, 'chat' | 'responses', readonly Json[], string | null]>([
  ['none', 'responses', [], null],
  ['a function', 'responses', [{ type: 'function', name: 'tide', parameters: {} }], 'web_search'],
  ['a tool that takes plain text', 'responses', [{ type: 'custom', name: 'patch' }], 'web_search'],
  [
    'one within a set',
    'responses',
    [{ type: 'namespace', name: 'git', tools: [{ type: 'custom', name: 'log' }] }],
    'web_search',
  ],
  ['a tool that takes plain text', 'chat', [{ type: 'custom', custom: { name: 'patch' } }], 'web_search'],
])(
  'CHAT-13 RESP-06 a search beside tools of the own at Google is named where it is left out: %s on %s',
  async (_, format, tools, left) => {
    harness.simulator.clearRequests();
    const { status, headers } = await send(format, 'gemini', { model: `${modelOf('gemini')}:online`, tools });
    expect([status, headers.get('x-tollgate-left-out')]).toEqual([200, left]);
    expect(seen().includes('googleSearch')).toBe(left === null);
  },
);
