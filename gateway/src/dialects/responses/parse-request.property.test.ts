// The parser answers any JSON with a request or with a refusal, and changes nothing.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseResponsesRequest } from './parse-request.ts';

function attempt(body: JsonObject): 'parsed' | number {
  try {
    const request = parseResponsesRequest(body);
    expect(Number.isSafeInteger(request.promptTokensEstimate)).toBe(true);
    request.toConversation();
    return 'parsed';
  } catch (error) {
    if (error instanceof ApiError) return error.status;
    throw error;
  }
}

function deepFreeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) {
    for (const inner of Object.values(value)) deepFreeze(inner);
    Object.freeze(value);
  }
  return value;
}

const words = fc.constantFrom(
  ...['user', 'assistant', 'developer', 'message', 'input_text', 'output_text', 'refusal', 'input_image', 'input_file'],
  ...['function', 'function_call', 'function_call_output', 'custom_tool_call', 'reasoning', 'namespace', 'auto'],
  ...[
    'additional_tools',
    'local_shell_call',
    'json_schema',
    'allowed_tools',
    'https://a.test/x',
    'data:image/png;base64,AA',
  ],
);
const members = fc.constantFrom(
  ...['type', 'role', 'content', 'text', 'id', 'call_id', 'name', 'arguments', 'output', 'input', 'tools', 'namespace'],
  ...[
    'image_url',
    'url',
    'detail',
    'file_data',
    'filename',
    'summary',
    'encrypted_content',
    'format',
    'schema',
    'mode',
  ],
  ...['parameters', 'strict', 'effort', 'function', 'action', 'toString', 'valueOf'],
);
const fields = fc.constantFrom(
  ...['model', 'models', 'input', 'instructions', 'stream', 'max_output_tokens', 'temperature', 'tools', 'tool_choice'],
  ...['text', 'response_format', 'reasoning', 'store', 'previous_response_id', 'provider', 'transforms', 'metadata'],
);
const { tree } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words,
    fc.constantFrom(0, 1, -1, 2 ** 60, null, true, false, ''),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(members, tie('tree'), { maxKeys: 5 }),
  ),
}));

test('VER-06 any body is parsed or refused with a 4xx', () => {
  fc.assert(
    fc.property(fc.dictionary(fields, tree, { maxKeys: 8 }), (fuzz) => {
      const body = deepFreeze({ model: 'acme/x', input: 'Hi', ...fuzz });
      const result = attempt(body);
      if (result !== 'parsed') expect(result).toBeLessThan(500);
    }),
    { numRuns: 2_000 },
  );
});

const item = fc.oneof(
  fc.record({ type: words, role: words, content: tree, call_id: words, name: words, arguments: words, output: tree }),
  fc.dictionary(members, tree, { maxKeys: 6 }),
);

test('RESP-09 any items are parsed or refused with a 4xx', () => {
  fc.assert(
    fc.property(fc.array(item, { maxLength: 5 }), (input) => {
      const result = attempt(deepFreeze({ model: 'acme/x', input }));
      if (result !== 'parsed') expect(result).toBeLessThan(500);
    }),
    { numRuns: 2_000 },
  );
});
