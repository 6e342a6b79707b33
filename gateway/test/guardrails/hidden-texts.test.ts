// Texts that a provider reads and that do not stand in a message: who speaks, names of members, and files of text in
// base64. An organization's rules read them, and what they redact in a file is not in what the upstream gets.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { codeOf, DIALECTS, type Dialect, type FilteredOrg, type GuardBed, startGuardBed } from './guard-bed.ts';

const BLOCK = { name: 'Codename', type: 'keyword', pattern: 'blue heron', action: 'block' };
const REDACT = { ...BLOCK, action: 'redact' };
/** It needs a thread, so texts are read in another way. */
const PATTERN = { name: 'Codename', type: 'regex', pattern: '[Bb]lue[ _][Hh]eron.{0,50}x?', action: 'block' };

let bed: GuardBed;

beforeAll(async () => {
  bed = await startGuardBed();
});
afterAll(() => bed.harness.close());

const base64 = (text: string): string => Buffer.from(text).toString('base64');

function fileOf(dialect: Dialect, type: string, text: string): Json {
  const address = `data:${type};base64,${base64(text)}`;
  if (dialect === 'chat') return { type: 'file', file: { filename: 'notes', file_data: address } };
  if (dialect === 'responses') return { type: 'input_file', filename: 'notes', file_data: address };
  return { type: 'document', source: { type: 'base64', media_type: type, data: base64(text) } };
}

const PATHS = { chat: '/v1/chat/completions', responses: '/v1/responses', messages: '/v1/messages' } as const;

function ask({ key }: FilteredOrg, dialect: Dialect, turns: readonly Json[], more: Json = {}) {
  const body = dialect === 'responses' ? { input: turns } : { messages: turns, max_tokens: 50 };
  return bed.harness.request('POST', PATHS[dialect], { key, body: { model: 'openai/test', ...body, ...more } });
}

const sentTexts = (): string => {
  const sent = JSON.stringify(bed.harness.simulator.requests.at(-1)?.json);
  return (
    sent + [...sent.matchAll(/base64,([\w+/=]+)/g)].map(([, data]) => Buffer.from(data ?? '', 'base64')).join('\n')
  );
};

describe.each(DIALECTS)('FILT-05 FILT-08 %s: a file of text', (dialect) => {
  const words = { type: dialect === 'responses' ? 'input_text' : 'text', text: 'Read this.' };
  const turnsWith = (type: string, text: string) => [{ role: 'user', content: [words, fileOf(dialect, type, text)] }];

  test.each(['text/plain', 'text/markdown', 'text/csv', 'application/json'])('of %s', async (type) => {
    const [blocking, redacting] = [await bed.filtered(BLOCK), await bed.filtered(REDACT)];
    const before = bed.upstreamCalls;
    const blocked = await ask(blocking, dialect, turnsWith(type, '"It is called Blue Heron."'));
    expect([blocked.status, codeOf(blocked)], blocked.text).toEqual([403, 'content_filter']);
    expect(bed.upstreamCalls).toBe(before);
    expect((await ask(blocking, dialect, turnsWith(type, '"It is called Grey Heron."'))).status).toBe(200);
    const redacted = await ask(redacting, dialect, turnsWith(type, '"It is called Blue Heron, für 5 €."'));
    expect(redacted.status, redacted.text).toBe(200);
    expect(sentTexts()).toContain('It is called [REDACTED], für 5 €.');
    expect(sentTexts()).not.toContain(base64('"It is called Blue Heron, für 5 €."'));
  });

  test('of more than a megabyte, at its end', async () => {
    const long = `${'Nothing to see. '.repeat(100_000)}It is called Blue Heron.`;
    const blocked = await ask(await bed.filtered(BLOCK), dialect, turnsWith('text/plain', long));
    expect([blocked.status, codeOf(blocked)], blocked.text).toEqual([403, 'content_filter']);
  });

  test('is moderated, too', async () => {
    const { key } = await bed.harness.account(5);
    const answer = await ask({ key } as FilteredOrg, dialect, turnsWith('text/plain', 'How do I build a pipe bomb?'));
    expect([answer.status, codeOf(answer)], answer.text).toEqual([403, 'content_filter']);
  });
});

describe('FILT-05 FILT-08 names', () => {
  const said = { role: 'user', content: 'Hello.' };
  const schema = { type: 'object', properties: { inner: { type: 'object', properties: { blue_heron: {} } } } };
  const call = (argumentsText: string) => [
    said,
    {
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: argumentsText } }],
    },
    { role: 'tool', tool_call_id: 'c', content: 'Done.' },
  ];
  const tool = (parameters: Json) => ({ type: 'function', function: { name: 'f', parameters } });
  const format = { type: 'json_schema', json_schema: { name: 'n', schema } };
  const requests: readonly (readonly [string, readonly Json[], Json])[] = [
    ['of who speaks', [{ ...said, name: 'blue heron' }], {}],
    ['in the schema of a tool', [said], { tools: [tool(schema)] }],
    ['in the schema of the answer', [said], { response_format: format }],
    ['in the arguments of a call', call('{"why":{"blue heron":1}}'), {}],
  ];

  test.each(requests)('%s are read', async (_place, turns, more) => {
    for (const rule of [BLOCK, PATTERN]) {
      const answer = await ask(await bed.filtered(rule), 'chat', turns, more);
      expect([answer.status, codeOf(answer)], answer.text).toEqual([403, 'content_filter']);
    }
  });

  test('of who speaks are redacted, and names of members stay', async () => {
    const org = await bed.filtered(REDACT);
    const turns = [{ ...said, name: 'Blue_Heron' }, ...call('{"blue heron":"Blue Heron"}').slice(1)];
    const answer = await ask(org, 'chat', turns, { tools: [tool(schema)] });
    expect(answer.status, answer.text).toBe(200);
    const { messages, tools } = (bed.harness.simulator.requests.at(-1)?.json ?? {}) as Record<string, Json[]>;
    expect(messages?.[0]).toMatchObject({ name: '[REDACTED]' });
    expect(messages?.[1]).toMatchObject({ tool_calls: [{ function: { arguments: '{"blue heron":"[REDACTED]"}' } }] });
    expect(tools?.[0]).toMatchObject({ function: { parameters: schema } });
  });

  test('in arguments that are an object are read', async () => {
    const use = { type: 'tool_use', id: 't', name: 'f', input: { 'blue heron': 1 } };
    const turns = [
      said,
      { role: 'assistant', content: [use] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: 'Done.' }] },
    ];
    const answer = await ask(await bed.filtered(BLOCK), 'messages', turns);
    expect([answer.status, codeOf(answer)], answer.text).toEqual([403, 'content_filter']);
  });
});
