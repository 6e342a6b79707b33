// A conversation that another vendor's model has begun, sent by clients of all three formats to vendors with a format
// of their own. What those refuse a whole call for is not in what they get, whatever the history holds.

import { afterAll, beforeEach, expect, test } from 'vitest';
import { entryOf, startOtherServers } from '../faults/upstreams.ts';
import { configDocument, type Json, startHarness } from '../harness.ts';

const harness = await startHarness();
const others = await startOtherServers();
const { url } = harness.simulator;

const UPSTREAMS = {
  anthropic: 'claude-opus-4-8',
  gemini: 'gemini-3.6-flash',
  vertex: 'gemini-3.6-flash',
  'vertex-claude': 'anthropic/claude-sonnet-4-5',
  bedrock: 'us.meta.llama4-maverick-17b-instruct-v1:0',
  'bedrock-claude': 'us.anthropic.claude-sonnet-4-5-20250929-v1:0',
  cohere: 'command-a-03-2025',
} as const;
type Kind = keyof typeof UPSTREAMS;
const KINDS = Object.keys(UPSTREAMS) as readonly Kind[];

const models = Object.fromEntries(
  KINDS.map((kind) => [`acme/${kind}`, { routes: [{ provider: kind, upstream_model: UPSTREAMS[kind] }] }]),
);
const document = configDocument(url, { models });
const providers = {
  ...(document.providers as Json),
  ...Object.fromEntries(KINDS.map((kind) => [kind, entryOf(kind, url, others.tokenUrl)])),
};
await harness.operate('PUT', '/admin/v1/config', { ...document, providers });
const { key } = await harness.account();

beforeEach(() => harness.simulator.clearRequests());

afterAll(async () => {
  await harness.close();
  others.close();
});

// A greeting of the model's; two turns of calls whose server numbers them anew, with line breaks before a call and a
// name that the model made up; thinking that nobody can prove; and an answer at the end.
const TURNS = ['look', 'default_api:look'];
const marker = { cache_control: { type: 'ephemeral', ttl: '1h' } };
const parameters = {
  anyOf: [{ required: ['port'] }, { required: ['town'] }],
  properties: { port: { type: ['string', 'null'], enum: ['', 'Brest', null] }, town: { description: 'Any.' } },
};

const bodies: Readonly<Record<string, Json>> = {
  '/v1/chat/completions': {
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...marker }] },
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Is the tide in?' },
      ...TURNS.flatMap((name) => [
        {
          role: 'assistant',
          content: '\n\n',
          reasoning_content: 'Let me see.',
          tool_calls: [{ id: 'call_0', type: 'function', function: { name, arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'call_0', content: [{ type: 'text', text: 'high', ...marker }] },
      ]),
      { role: 'assistant', content: 'It is ' },
    ],
    tools: [{ type: 'function', function: { name: 'look', parameters } }],
  },
  '/v1/messages': {
    max_tokens: 500,
    system: [{ type: 'text', text: 'Be brief.', ...marker }],
    messages: [
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Is the tide in?' },
      ...TURNS.flatMap((name) => [
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Let me see.', signature: 'tollgate.' },
            { type: 'text', text: '\n\n' },
            { type: 'tool_use', id: 'call_0', name, input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'call_0', content: [{ type: 'text', text: 'high', ...marker }] },
          ],
        },
      ]),
    ],
    tools: [{ name: 'look', input_schema: { type: 'object', properties: parameters.properties } }],
  },
  '/v1/responses': {
    instructions: 'Be brief.',
    input: [
      { role: 'assistant', content: 'Welcome!' },
      { role: 'user', content: 'Is the tide in?' },
      ...TURNS.flatMap((name) => [
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Let me see.' }] },
        { type: 'function_call', call_id: 'call_0', name, arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_0', output: 'high' },
      ]),
    ],
    tools: [{ type: 'function', name: 'look', parameters }],
  },
};

/** Every object of what was sent. */
function objectsIn(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn);
  if (typeof value !== 'object' || value === null) return [];
  return [value as Json, ...Object.values(value).flatMap(objectsIn)];
}

const CALL_NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;
/** Google takes more. */
const CALL_NAME_AT_GOOGLE = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/;

/** What is wrong with a body by the rules of the vendors. */
function faultsIn(body: Json, kind: Kind): readonly string[] {
  const objects = objectsIn(body);
  const callsOf = ({ tool_calls: calls }: Json): readonly Json[] => (Array.isArray(calls) ? (calls as Json[]) : []);
  const calls = objects.flatMap((it) => {
    if (it.type === 'tool_use') return [{ id: it.id, name: it.name }];
    if (typeof it.toolUse === 'object') return [it.toolUse as Json].map(({ toolUseId: id, name }) => ({ id, name }));
    if (typeof it.functionCall === 'object') return [it.functionCall as Json].map(({ id, name }) => ({ id, name }));
    return callsOf(it).map(({ id, function: called }) => ({ id, name: (called as Json).name }));
  });
  const answered = objects.flatMap((it) => {
    const [result] = [it.toolResult, it.functionResponse].filter((found) => typeof found === 'object') as Json[];
    const id = result?.toolUseId ?? result?.id ?? it.tool_use_id ?? it.tool_call_id;
    return id === undefined ? [] : [id];
  });
  const turns = (body.messages ?? body.contents) as readonly Json[];
  const texts = objects.flatMap(({ text, content }) => [text, content].filter((it) => typeof it === 'string'));
  // Anthropic's own format lets the model begin.
  const isMessages = 'anthropic_version' in body || kind === 'anthropic';
  const names = isGoogle(kind) ? CALL_NAME_AT_GOOGLE : CALL_NAME;
  const faults: readonly (readonly [string, boolean])[] = [
    ['not all calls are there', calls.length !== TURNS.length],
    ['an id twice', new Set(calls.map(({ id }) => id)).size !== calls.length],
    ['results of other calls', JSON.stringify(calls.map(({ id }) => id)) !== JSON.stringify(answered)],
    ['a name that is refused', kind !== 'cohere' && calls.some(({ name }) => !names.test(String(name)))],
    ['a blank text', texts.some((text) => String(text).trim() === '')],
    ['thinking without a proof', JSON.stringify(body).includes('tollgate.')],
    ['the model begins', !isMessages && kind !== 'cohere' && turns[0]?.role !== 'user'],
    ['a choice at the top of a schema', kind !== 'cohere' && objects.some(isChoiceAtTop)],
    ['a cache point that is refused', kind === 'bedrock' && objects.some(({ cachePoint }) => cachePoint !== undefined)],
    [
      'a cache point in a result',
      objects.some(({ toolResult }) => JSON.stringify(toolResult ?? '').includes('cachePoint')),
    ],
    ['an empty value in an enumeration', kind !== 'cohere' && isGoogle(kind) && objects.some(hasEmptyValue)],
  ];
  return faults.flatMap(([name, isFault]) => (isFault ? [name] : []));
}

const isGoogle = (kind: Kind): boolean => kind === 'gemini' || kind === 'vertex';
const isChoiceAtTop = (it: Json): boolean =>
  [it.input_schema, it.parameters, it.json].some(
    (schema) => typeof schema === 'object' && schema !== null && ('anyOf' in schema || !('type' in schema)),
  );
const hasEmptyValue = ({ enum: values }: Json): boolean =>
  Array.isArray(values) && values.some((value) => typeof value !== 'string' || value === '');

test.each(KINDS.flatMap((kind) => Object.keys(bodies).map((path) => [kind, path] as const)))(
  'TOOL-07 MSGS-06 a conversation of another model goes on at %s from %s',
  async (kind, path) => {
    const response = await fetch(`${harness.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ...bodies[path], model: `acme/${kind}` }),
    });
    expect(response.status, await response.clone().text()).toBe(200);
    const sent = harness.simulator.requests.at(-1)?.json as Json;
    expect(faultsIn(sent, kind), JSON.stringify(sent, null, 1)).toEqual([]);
  },
);
