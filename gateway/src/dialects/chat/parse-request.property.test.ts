// The parser answers any JSON with a request or with a refusal, and changes nothing.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseChatRequest } from './parse-request.ts';

function attempt(body: JsonObject): 'parsed' | number {
  try {
    const request = parseChatRequest(body);
    expect(Number.isSafeInteger(request.promptTokensEstimate)).toBe(true);
    return 'parsed';
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

const fields = [
  'model',
  'models',
  'messages',
  'input',
  'instructions',
  'text',
  'stream',
  'temperature',
  'max_tokens',
  'n',
  'seed',
  'stop',
  'logit_bias',
  'top_logprobs',
  'tools',
  'tool_choice',
  'response_format',
  'plugins',
  'modalities',
  'input_audio',
  'reasoning',
  'thinking',
  'transforms',
  'provider',
  'store',
  'usage',
  'stream_options',
  'anything',
];
const words = fc.constantFrom(
  'user',
  'assistant',
  'tool',
  'system',
  'text',
  'image_url',
  'file',
  'function',
  'message',
  'function_call',
  'auto',
  'json_schema',
  'data:image/png;base64,AA==',
  'data:application/pdf;base64,JVBERi0=',
  'https://a.test',
  'a',
  '',
);
const keys = fc.constantFrom(
  'role',
  'content',
  'type',
  'text',
  'image_url',
  'url',
  'file',
  'file_data',
  'tool_calls',
  'tool_call_id',
  'id',
  'function',
  'name',
  'arguments',
  'parameters',
  'json_schema',
  'schema',
  'call_id',
  'output',
  'effort',
  'sort',
  'by',
  '__proto__',
  'constructor',
  'toString',
);

// Likely words in unlikely places reach far more of the parser than random text does.
const { value: hostile } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words,
    fc.jsonValue({ maxDepth: 1 }),
    tie('list'),
    tie('object'),
  ),
  list: fc.array(tie('value'), { maxLength: 4 }),
  object: fc.dictionary(keys, tie('value'), { maxKeys: 6 }),
}));

test('any JSON object is parsed or refused with 400', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), hostile, { maxKeys: 8 }), (body) => {
      expect(['parsed', 400]).toContain(attempt(body));
    }),
    { numRuns: 5_000 },
  );
});

test('one hostile field in an otherwise good body is parsed or refused with 400', () => {
  const good = { model: 'm/1', messages: [{ role: 'user', content: 'Hi' }] };
  fc.assert(
    fc.property(fc.constantFrom(...fields), hostile, (field, value) => {
      expect(['parsed', 400]).toContain(attempt({ ...good, [field]: value }));
    }),
    { numRuns: 5_000 },
  );
});

test('one hostile message among good ones is parsed or refused with 400', () => {
  const message = fc.oneof(
    hostile,
    fc.record({ role: words, content: hostile, tool_calls: hostile }, { requiredKeys: ['role'] }),
  );
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), (messages) => {
      expect(['parsed', 400]).toContain(attempt({ model: 'm/1', messages }));
    }),
    { numRuns: 5_000 },
  );
});

test('VER-06 unknown fields survive the parser, and the body is never changed', () => {
  const unknown = fc.dictionary(
    fc.string().map((name) => `x_${name}`),
    fc.jsonValue(),
    { maxKeys: 5 },
  );
  fc.assert(
    fc.property(unknown, (extra) => {
      const body = { model: 'm/1', messages: [{ role: 'user', content: 'Hi' }], ...extra, store: false };
      const before = structuredClone(body);
      expect(parseChatRequest(body).body).toMatchObject(extra);
      expect(body).toEqual(before);
    }),
    { numRuns: 1_000 },
  );
});
