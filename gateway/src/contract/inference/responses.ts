// Responses as they are accepted and answered. Nothing is stored between calls: the whole history is in `input`.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, orNull, text, usd } from '../shape.ts';
import { anyObject, firstModel, maybe, open, reasoning, routing } from './fields.ts';

const InputItem = Type.Object(
  {
    type: maybe(
      Type.String({ description: 'One of message, function_call, function_call_output, reasoning, or a newer type.' }),
    ),
    role: maybe(Type.String({ description: 'Of a message: user, assistant, system or developer.' })),
    content: maybe(
      Type.Union([
        Type.String(),
        listOf(anyObject('Parts of the types input_text, input_image, input_file, input_audio and output_text.')),
      ]),
    ),
    call_id: maybe(Type.String({ description: 'Of a call and of its output.' })),
    name: maybe(Type.String()),
    arguments: maybe(Type.String({ description: 'JSON, as text.' })),
    output: maybe(Type.Union([Type.String(), listOf(anyObject('Blocks, as in content.'))])),
  },
  { ...open, ...named('ResponsesInputItem') },
);

export const ResponsesRequest = Type.Object(
  {
    model: firstModel,
    input: Type.Union([Type.String(), Type.Array(InputItem, { minItems: 1, maxItems: 10_000 })]),
    instructions: maybe(Type.String({ description: 'Instructions for the model; send them with each call.' })),
    stream: maybe(Type.Boolean({ description: 'Send the answer as a stream of events.' })),
    max_output_tokens: maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000 })),
    temperature: maybe(Type.Number({ minimum: 0, maximum: 2 })),
    top_p: maybe(Type.Number({ minimum: 0, maximum: 1 })),
    tools: maybe(
      listOf(
        Type.Object({ type: Type.String() }, open),
        'Functions, flat or nested; some hosted tools are refused. Kinds of tools that are not known here are passed on.',
      ),
    ),
    tool_choice: maybe(Type.Union([Type.String(), Type.Object({ type: Type.String() }, open)])),
    parallel_tool_calls: maybe(Type.Boolean()),
    text: maybe(anyObject('`format` is the format of the answer.')),
    response_format: maybe(anyObject('The same as text.format, in the form of chat completions.')),
    reasoning: maybe(reasoning),
    store: maybe(Type.Literal(false, { description: 'The gateway stores no conversations.' })),
    previous_response_id: Type.Optional(Type.Null({ description: 'The gateway stores no conversations.' })),
    background: maybe(Type.Boolean({ description: 'Accepted, without effect.' })),
    ...routing,
  },
  { ...open, ...named('ResponsesRequest') },
);

const usage = Type.Object(
  {
    input_tokens: count('Tokens of the prompt.'),
    input_tokens_details: Type.Object(
      {
        cached_tokens: count('Read from a cache.'),
        cache_write_tokens: Type.Optional(count('Written to a cache.')),
      },
      open,
    ),
    output_tokens: count('Tokens of the answer.'),
    output_tokens_details: Type.Object({ reasoning_tokens: count('Tokens of reasoning.') }, open),
    total_tokens: count('Both.'),
    cost: usd('What was charged.'),
  },
  { ...open, ...named('ResponsesUsage') },
);

export const ResponseObject = Type.Object(
  {
    id: text('The generation, with `resp_` before it.'),
    object: Type.Literal('response'),
    created_at: Type.Number({ description: 'Unix seconds.' }),
    completed_at: orNull(Type.Number({ description: 'Unix seconds.' })),
    status: text('One of completed, incomplete, failed.'),
    model: text('The model that answered.'),
    output: listOf(
      Type.Object({ type: Type.String() }, open),
      'Messages with `output_text`, function calls, reasoning.',
    ),
    usage,
    error: orNull(Type.Object({ code: Type.String(), message: Type.String() }, open)),
    incomplete_details: orNull(Type.Object({}, open)),
  },
  { ...open, ...named('Response') },
);

export const InputTokenCount = Type.Object(
  { object: Type.Literal('response.input_tokens'), input_tokens: count('An estimate.') },
  named('InputTokenCount'),
);

export const CompactedConversation = Type.Object(
  {
    id: text('The generation, with `resp_` before it.'),
    object: Type.Literal('response.compaction'),
    created_at: Type.Number({ description: 'Unix seconds.' }),
    output: listOf(
      Type.Object({ type: Type.String() }, open),
      'The input of the next call: what is kept of the conversation, and an item of the type `compaction` for the rest.',
    ),
    usage,
  },
  { ...open, ...named('CompactedConversation') },
);

export const ResponseEvent = Type.Object(
  { type: text('Such as `response.created`, `response.output_text.delta`, `response.completed`.') },
  { ...open, ...named('ResponseEvent') },
);
