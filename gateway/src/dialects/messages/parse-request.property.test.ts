// The parser answers any JSON with a request or with a refusal and changes nothing, and every body that it accepts can
// be read as a conversation.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { estimateTokens } from '../../modules/tokens/estimate-tokens.ts';
import { countPromptTokens } from './count-prompt.ts';
import { parseMessagesRequest } from './parse-request.ts';

function attempt(body: JsonObject): 'parsed' | number {
  const before = JSON.stringify(body);
  try {
    const request = parseMessagesRequest(body);
    expect(Number.isSafeInteger(request.promptTokensEstimate)).toBe(true);
    expect(request.toConversation().messages.every(({ parts }) => parts.length > 0)).toBe(true);
    expect(countPromptTokens(request.body, estimateTokens)).toBeGreaterThan(0);
    return 'parsed';
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  } finally {
    expect(JSON.stringify(body)).toBe(before);
  }
}

const fields = [
  'model',
  'models',
  'messages',
  'system',
  'max_tokens',
  'stream',
  'temperature',
  'stop_sequences',
].concat([
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'metadata',
  'provider',
  'thread',
  'anything',
]);
const words = fc.constantFrom(
  ...['user', 'assistant', 'system', 'text', 'image', 'document', 'tool_use', 'tool_result', 'thinking', 'custom'],
  ...[
    'redacted_thinking',
    'search_result',
    'base64',
    'url',
    'content',
    'file',
    'https://a.test',
    'auto',
    'tool',
    'a',
    '',
  ],
);
const keys = fc.constantFrom(
  ...['role', 'content', 'type', 'text', 'source', 'data', 'media_type', 'url', 'id', 'name', 'input', 'tool_use_id'],
  ...['thinking', 'signature', 'input_schema', 'format', 'schema', 'effort', 'title', 'context', 'cache_control'],
  ...['__proto__', 'constructor', 'toString'],
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
const good = { model: 'm/1', max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] };

test('one hostile field in an otherwise good body is parsed or refused with 400', () => {
  fc.assert(
    fc.property(fc.constantFrom(...fields), hostile, (field, value) => {
      expect(['parsed', 400]).toContain(attempt({ ...good, [field]: value }));
    }),
    { numRuns: 2_000 },
  );
});

test('hostile messages are parsed or refused with 400', () => {
  const block = fc.oneof(
    hostile,
    fc.record({ type: words, text: words, source: hostile, content: hostile, id: words }),
  );
  const content = fc.oneof(hostile, fc.array(block, { maxLength: 4 }));
  const message = fc.oneof(hostile, fc.record({ role: words, content }));
  fc.assert(
    fc.property(fc.array(message, { minLength: 1, maxLength: 4 }), (messages) => {
      expect(['parsed', 400]).toContain(attempt({ ...good, messages }));
    }),
    { numRuns: 2_000 },
  );
});

test('VER-06 unknown fields survive the parser', () => {
  const unknown = fc.dictionary(
    fc.string().map((name) => `x_${name}`),
    fc.jsonValue(),
    { maxKeys: 5 },
  );
  fc.assert(
    fc.property(unknown, (extra) => {
      expect(parseMessagesRequest({ ...good, ...extra }).body).toMatchObject(extra);
    }),
    { numRuns: 500 },
  );
});
