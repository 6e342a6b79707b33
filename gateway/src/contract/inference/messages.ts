// Messages as they are accepted and answered. Blocks and tools that are newer than this file are let through.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, orNull, text, usd } from '../shape.ts';
import { anyObject, firstModel, maybe, open, routing } from './fields.ts';

const blocks = listOf(
  Type.Object({ type: Type.String() }, open),
  'Blocks of the types text, image, document, tool_use, tool_result and others.',
);
const content = Type.Union([Type.String(), blocks]);

const requestFields = {
  model: firstModel,
  messages: Type.Array(
    Type.Object({ role: Type.Union(['user', 'assistant', 'system'].map((role) => Type.Literal(role))), content }, open),
    { minItems: 1, maxItems: 10_000 },
  ),
  system: maybe(content),
  stream: maybe(Type.Boolean({ description: 'Send the answer as a stream of events.' })),
  temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
  top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
  top_k: maybe(Type.Integer({ minimum: 0 })),
  stop_sequences: maybe(Type.Array(Type.String(), { maxItems: 64 })),
  tools: maybe(listOf(Type.Object({ type: maybe(Type.String()), name: maybe(Type.String()) }, open))),
  tool_choice: maybe(Type.Object({ type: Type.String(), name: maybe(Type.String()) }, open)),
  metadata: maybe(Type.Object({ user_id: maybe(Type.String()) }, open)),
  thinking: maybe(Type.Object({ type: Type.String(), budget_tokens: maybe(Type.Integer({ minimum: 0 })) }, open)),
  output_config: maybe(anyObject('The effort, and the format of the answer.')),
  ...routing,
};

const tokenLimit = Type.Integer({
  minimum: 1,
  maximum: 1_000_000_000,
  description: 'The most tokens of the answer.',
});

export const MessagesRequest = Type.Object(
  { ...requestFields, max_tokens: tokenLimit },
  { ...open, ...named('MessagesRequest') },
);

export const CountTokensRequest = Type.Object(
  { ...requestFields, max_tokens: maybe(tokenLimit) },
  { ...open, ...named('CountTokensRequest') },
);

export const MessageAnswer = Type.Object(
  {
    id: text('The id of the generation; GET /v1/generation gives its record.'),
    type: Type.Literal('message'),
    role: Type.Literal('assistant'),
    model: text('The model that answered.'),
    content: blocks,
    stop_reason: orNull(text('Such as end_turn, max_tokens, stop_sequence or tool_use.')),
    stop_sequence: orNull(Type.String()),
    usage: Type.Object(
      {
        input_tokens: count('Tokens of the prompt, without those read from or written to a cache.'),
        output_tokens: count('Tokens of the answer.'),
        cache_read_input_tokens: count('Read from a cache.'),
        cache_creation_input_tokens: count('Written to a cache.'),
        tollgate_cost: usd('What was charged.'),
      },
      { ...open, ...named('MessagesUsage') },
    ),
  },
  { ...open, ...named('MessageAnswer') },
);

export const MessageEvent = Type.Object(
  { type: text('Such as `message_start`, `content_block_delta`, `message_stop`.') },
  { ...open, ...named('MessageEvent') },
);

export const TokenCount = Type.Object({ input_tokens: count('An estimate.') }, named('TokenCount'));
