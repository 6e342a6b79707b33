// Under an organization's rules on answers, clients get what only their provider's format has: what its own tools were
// given and returned, where they ran, why it stopped, its sources, who has called a function, and the namespace of one.
// The rules are applied to the texts in it, and the call costs what it costs without rules.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type FilteredOrg, type GuardBed, startGuardBed } from './guard-bed.ts';

const REDACT = { name: 'Codename', type: 'keyword', pattern: 'blue heron', action: 'redact', appliesTo: 'output' };
const BLOCK = { ...REDACT, action: 'block' };
/** It never matches. Such a rule alone has a stream read as it comes, and the next needs all of it. */
const CALM = { ...REDACT, pattern: 'grey owl' };
const HOLDING = { ...CALM, type: 'regex', pattern: `${'[a-z]{3}[0-9]{30}'.repeat(8)}` };

let bed: GuardBed;

beforeAll(async () => {
  const model = (provider: string) => ({ routes: [{ provider, upstream_model: 'm' }] });
  bed = await startGuardBed({
    moreProviders: { messages: { protocol: 'anthropic' }, responses: { protocol: 'openai', responses: true } },
    models: { 'acme/messages': model('messages'), 'acme/responses': model('responses') },
  });
});
afterAll(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
  await bed.harness.close();
});

const cited = {
  ...{ type: 'web_search_result_location', url: 'https://birds.test', title: 'Of the blue heron' },
  ...{ cited_text: 'The blue heron', encrypted_index: 'blue heron, sealed' },
};
const found = {
  ...{ type: 'web_search_result', title: 'The blue heron', url: 'https://birds.test' },
  ...{ encrypted_content: 'blue heron, sealed', page_age: null },
};
const content: readonly Json[] = [
  { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'blue heron' } },
  { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [found] },
  { type: 'mcp_tool_use', id: 'mcptoolu_1', name: 'echo', server_name: 'birds', input: { say: 'blue heron' } },
  {
    type: 'mcp_tool_result',
    tool_use_id: 'mcptoolu_1',
    is_error: false,
    content: [{ type: 'text', text: 'blue heron' }],
  },
  { type: 'text', text: 'It is the blue heron.', citations: [cited] },
  {
    ...{ type: 'tool_use', id: 'toolu_1', name: 'sighting', input: { bird: 'blue heron' } },
    ...{ caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }, toolset_name: 'birds' },
  },
];
const container = { id: 'container_1', expires_at: '2026-11-18T12:00:00Z', skills: null };
/** The explanation is for people to read; the code is to be sent back. */
const refusal = {
  ...{ type: 'refusal', category: 'cyber', explanation: 'Not of the blue heron.', recommended_model: null },
  ...{ fallback_credit_token: 'blue heron, sealed', fallback_has_prefill_claim: true },
};
const edited = { applied_edits: [{ type: 'clear_tool_uses_20250919', cleared_tool_uses: 2, cleared_input_tokens: 9 }] };
const told = { stop_reason: 'refusal', container, stop_details: refusal, context_management: edited };
const usage = { input_tokens: 100, output_tokens: 40, server_tool_use: { web_search_requests: 1 } };

function answersMessage(isStream: boolean, blocks: readonly Json[] = content): void {
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'm' };
  const { context_management, ...ending } = { ...told, stop_sequence: null };
  const whole = { ...message, content: blocks, ...ending, context_management, usage };
  const events = [
    {
      type: 'message_start',
      message: { ...message, content: [], container: { id: 'c' }, usage: { input_tokens: 100 } },
    },
    ...blocks.flatMap(eventsOfBlock),
    { type: 'message_delta', delta: ending, context_management, usage },
    { type: 'message_stop' },
  ];
  answers(isStream ? events : whole);
}

function answers(answer: Json | readonly Json[]): void {
  bed.harness.simulator.script((_request, response: ServerResponse) => {
    const isStream = Array.isArray(answer);
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(
      isStream
        ? answer.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('')
        : JSON.stringify(answer),
    );
    return undefined;
  });
}

/** Inputs, citations and text come in pieces, everything else at once. */
function eventsOfBlock(block: Json, index: number): Json[] {
  const { input, text, citations, ...rest } = block;
  const delta = (members: Json) => ({ type: 'content_block_delta', index, delta: members });
  const begun = { ...rest, ...(input === undefined ? {} : { input: {} }), ...(text === undefined ? {} : { text: '' }) };
  const pieces =
    input === undefined
      ? ((citations ?? []) as Json[]).map((citation) => delta({ type: 'citations_delta', citation }))
      : [delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) })];
  const words = text === undefined ? [] : [delta({ type: 'text_delta', text })];
  return [
    { type: 'content_block_start', index, content_block: begun },
    ...pieces,
    ...words,
    { type: 'content_block_stop', index },
  ];
}

const framesOf = (text: string): Json[] =>
  [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data]) => JSON.parse(data ?? '') as Json);

/** As a client puts a stream together. */
function blocksOf(frames: readonly Json[]): readonly Json[] {
  const blocks: Json[] = [];
  for (const { type, index, content_block: begun, delta } of frames) {
    const place = Number(index);
    const piece = (delta ?? {}) as Json;
    const block = blocks[place] ?? {};
    if (type === 'content_block_start') blocks[place] = begun as Json;
    else if (piece.type === 'text_delta') blocks[place] = { ...block, text: `${block.text}${piece.text}` };
    else if (piece.type === 'input_json_delta')
      blocks[place] = { ...block, input: JSON.parse(String(piece.partial_json)) };
    else if (piece.type === 'citations_delta') blocks[place] = { ...block, citations: [piece.citation] };
  }
  return blocks;
}

function ask(key: string, stream: boolean) {
  const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
  const messages = [{ role: 'user', content: 'Hello.' }];
  const body = { model: 'acme/messages', max_tokens: 500, messages, tools, stream };
  return bed.harness.request('POST', '/v1/messages', { key, body });
}

const redacted = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replaceAll(/blue heron(?!, sealed)/g, '[REDACTED]'));

describe.each([false, true])('FILT-05 a message of the same format, streamed: %s', (stream) => {
  const shownTo = async ({ key }: Pick<FilteredOrg, 'key'>): Promise<Json> => {
    answersMessage(stream);
    const answer = await ask(key, stream);
    expect(answer.status, answer.text).toBe(200);
    const frames = framesOf(answer.text);
    const last = frames.find(({ type }) => type === 'message_delta') ?? {};
    const ending = stream ? { ...last, ...(last.delta as Json) } : answer.body;
    const { stop_reason, container: ran, stop_details, context_management } = ending;
    const beside = { stop_reason, container: ran, stop_details, context_management };
    return { content: stream ? blocksOf(frames) : ending.content, ...beside };
  };

  test('arrives as it came where no rule finds anything, and costs the same', async () => {
    const unruled = await bed.org();
    expect(await shownTo(unruled)).toEqual({ content, ...told });
    const spent = await bed.harness.spent(unruled.key);
    for (const rules of [[CALM], [HOLDING]]) {
      const org = await bed.filtered(...rules);
      expect(await shownTo(org)).toEqual({ content, ...told });
      expect(await bed.harness.spent(org.key)).toBe(spent);
    }
  });

  test('is redacted everywhere but in what is sealed', async () => {
    for (const rules of [[REDACT], [REDACT, HOLDING]]) {
      const org = await bed.filtered(...rules);
      expect(await shownTo(org)).toEqual(redacted({ content, ...told }));
    }
  });

  test('is withheld', async () => {
    for (const rules of [[BLOCK], [BLOCK, HOLDING]]) {
      const org = await bed.filtered(...rules);
      answersMessage(stream);
      const answer = await ask(org.key, stream);
      expect(answer.text).toContain('blocked by the content filter');
      expect(answer.text).not.toContain('blue heron');
    }
  });
});

test('FILT-05 a long text that comes in one piece does not keep a stream from being read', async () => {
  const templates = ['credit_card', 'iban', 'email', 'phone', 'national_id', 'api_key', 'private_key'];
  const org = await bed.filtered(
    REDACT,
    ...templates.map((pattern) => ({ ...REDACT, type: 'template', pattern, name: pattern })),
  );
  const long = `${'Nothing to see. '.repeat(4_000)}It is the blue heron. ${'Nor here. '.repeat(4_000)}`;
  answersMessage(true, [
    { type: 'mcp_tool_result', tool_use_id: 'x', is_error: false, content: long },
    { type: 'text', text: long },
  ]);
  const [result, said] = blocksOf(framesOf((await ask(org.key, true)).text));
  expect(result?.content).toBe(long.replace('blue heron', '[REDACTED]'));
  expect(said?.text).toBe(long.replace('blue heron', '[REDACTED]'));
});

describe.each([false, true])('FILT-05 a response of the same format, streamed: %s', (stream) => {
  const search = {
    ...{ id: 'ws_1', type: 'web_search_call', status: 'completed' },
    action: { type: 'search', query: 'blue heron', sources: [{ type: 'url', url: 'https://birds.test' }] },
  };
  const item = {
    ...{ id: 'fc_1', type: 'function_call', status: 'completed', call_id: 'c' },
    ...{ name: 'sleep', namespace: 'clock', arguments: '{"why":"blue heron"}' },
    caller: { type: 'program', caller_id: 'call_p' },
  };
  const shell = {
    ...{ id: 'lsh_1', type: 'local_shell_call', status: 'completed', call_id: 'd' },
    action: { type: 'exec', command: ['echo', 'blue heron'], env: {} },
  };
  const mcp = {
    ...{ id: 'mcp_1', type: 'mcp_call', server_label: 'birds', name: 'echo', error: null },
    ...{ arguments: '{"n":1.50,"say":"blue heron"}', output: 'It is the blue heron.' },
  };
  const quoted = {
    ...{ type: 'container_file_citation', container_id: 'cntr_1', file_id: 'file_1', filename: 'blue heron.txt' },
    ...{ start_index: 3, end_index: 9 },
  };
  const said = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', phase: 'commentary' },
    content: [{ type: 'output_text', text: 'It is the blue heron.', annotations: [quoted], logprobs: [] }],
  };
  const output = [search, item, shell, mcp, said];
  const response = {
    ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'm', output },
    usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
  };
  const events = [
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    ...output.flatMap((done, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...done, arguments: '' } },
      { type: 'response.output_item.done', output_index, item: done },
    ]),
    { type: 'response.completed', response },
  ];

  test('keeps its items where they are redacted', async () => {
    const tools = [{ type: 'namespace', name: 'clock', tools: [{ type: 'function', name: 'sleep', parameters: {} }] }];
    const org = await bed.filtered(REDACT);
    answers(stream ? events : response);
    const answer = await bed.harness.request('POST', '/v1/responses', {
      key: org.key,
      body: { model: 'acme/responses', input: 'Hello.', tools, stream },
    });
    expect(answer.status, answer.text).toBe(200);
    const done = stream
      ? framesOf(answer.text).find(({ type }) => type === 'response.completed')?.response
      : answer.body;
    const [{ id: _id, ...call }, { id: _said, ...message }] = [item, said];
    expect((done as Json).output).toMatchObject(redacted([search, call, shell, mcp, message]) as Json[]);
    expect(answer.text).not.toContain('blue heron');
  });
});
