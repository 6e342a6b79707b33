// Chat completions as they are accepted and answered. Other fields are passed to the upstream, and further fields of
// its answer are passed back.

import { Type } from '@sinclair/typebox';
import { count, listOf, named, orNull, text, usd } from '../shape.ts';
import { anyObject, firstModel, maybe, open, reasoning, routing } from './fields.ts';

const cacheControl = maybe(anyObject('Marks a part that the provider should cache.'));

const ContentPart = Type.Union(
  [
    Type.Object({ type: Type.Literal('text'), text: Type.String(), cache_control: cacheControl }, open),
    Type.Object(
      {
        type: Type.Literal('image_url'),
        image_url: Type.Object(
          { url: text('An address or a data URI: PNG, JPEG, WebP or GIF.'), detail: maybe(Type.String()) },
          open,
        ),
      },
      open,
    ),
    Type.Object(
      {
        type: Type.Literal('file'),
        file: Type.Object({ filename: maybe(Type.String()), file_data: text('A base64 data URI.') }, open),
      },
      open,
    ),
    Type.Object(
      {
        type: Type.Literal('input_audio'),
        input_audio: Type.Object({ data: text('Base64 without a prefix.'), format: text('Such as wav or mp3.') }, open),
      },
      open,
    ),
    Type.Object(
      {
        type: Type.Literal('video_url'),
        video_url: Type.Object({ url: text('An address or a data URI: MP4, MPEG, MOV or WebM.') }, open),
      },
      open,
    ),
    Type.Object({ type: Type.Literal('refusal'), refusal: Type.String() }, open),
  ],
  named('ContentPart'),
);

const content = Type.Union([Type.String(), listOf(ContentPart)], { description: 'Text, or parts of several kinds.' });
const name = maybe(Type.String());

const ToolCall = Type.Union(
  [
    Type.Object(
      {
        id: Type.String(),
        type: Type.Optional(Type.Literal('function')),
        function: Type.Object({ name: Type.String(), arguments: text('JSON, as text.') }, open),
      },
      open,
    ),
    Type.Object(
      {
        id: Type.String(),
        type: Type.Literal('custom'),
        custom: Type.Object({ name: Type.String(), input: text('Plain text.') }, open),
      },
      open,
    ),
  ],
  named('ToolCall'),
);

const Message = Type.Union(
  [
    Type.Object(
      { role: Type.Union(['system', 'developer', 'user'].map((role) => Type.Literal(role))), content, name },
      open,
    ),
    Type.Object(
      { role: Type.Literal('assistant'), content: maybe(content), name, tool_calls: maybe(listOf(ToolCall)) },
      open,
    ),
    Type.Object({ role: Type.Literal('tool'), content, tool_call_id: Type.String(), name }, open),
  ],
  named('Message'),
);

const toolFields = {
  name: Type.String({ pattern: '^[a-zA-Z0-9_-]{1,128}$' }),
  description: maybe(Type.String()),
};
const functionFields = {
  ...toolFields,
  parameters: maybe(anyObject('A JSON Schema.')),
};

const customFormat = maybe(
  Type.Union([
    Type.Object({ type: Type.Literal('text') }, open),
    Type.Object(
      {
        type: Type.Literal('grammar'),
        grammar: Type.Object({ syntax: text('`lark` or `regex`.'), definition: Type.String() }, open),
      },
      open,
    ),
  ]),
);

const Tool = Type.Union(
  [
    Type.Object({ type: Type.Literal('function'), function: Type.Object(functionFields, open) }, open),
    Type.Object({ type: Type.Literal('function'), ...functionFields }, open),
    Type.Object(
      { type: Type.Literal('custom'), custom: Type.Object({ ...toolFields, format: customFormat }, open) },
      open,
    ),
  ],
  named('Tool', 'What the model may call: a function, nested or flat, or a tool that takes plain text.'),
);

const toolChoice = Type.Union(
  [
    Type.Literal('auto'),
    Type.Literal('none'),
    Type.Literal('required'),
    Type.Object(
      { type: Type.String() },
      {
        ...open,
        description:
          '`{"type":"function","function":{"name":"..."}}`, or the same with `custom`; or `{"type":"allowed_tools","allowed_tools":{"mode":"auto","tools":[...]}}` with a list of these, of which the model may call one, or must where the mode is `required`.',
      },
    ),
  ],
  { description: 'Whether the model calls a tool, and which.' },
);

const ResponseFormat = Type.Union(
  [
    Type.Object({ type: Type.Literal('text') }, open),
    Type.Object({ type: Type.Literal('json_object') }, open),
    Type.Object(
      {
        type: Type.Literal('json_schema'),
        json_schema: Type.Object(
          { name: Type.String({ minLength: 1 }), strict: maybe(Type.Boolean()), schema: anyObject('A JSON Schema.') },
          open,
        ),
      },
      open,
    ),
  ],
  named('ResponseFormat', 'The format of the answer.'),
);

const whole = (description: string) => maybe(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));
const between = (minimum: number, maximum: number) => maybe(Type.Number({ minimum, maximum }));

export const ChatRequest = Type.Object(
  {
    model: firstModel,
    messages: Type.Array(Message, { minItems: 1, maxItems: 10_000 }),
    stream: maybe(Type.Boolean({ description: 'Send the answer as a stream of events.' })),
    stream_options: maybe(anyObject('Usage is always in the last chunk.')),
    temperature: between(0, 2),
    top_p: between(0, 1),
    top_k: maybe(Type.Integer({ minimum: 0 })),
    min_p: between(0, 1),
    top_a: between(0, 1),
    frequency_penalty: between(-2, 2),
    presence_penalty: between(-2, 2),
    repetition_penalty: maybe(Type.Number({ exclusiveMinimum: 0, maximum: 2 })),
    max_tokens: whole('The most tokens of an answer.'),
    max_completion_tokens: whole('The same as max_tokens.'),
    n: maybe(Type.Integer({ minimum: 1, maximum: 128, description: 'How many answers.' })),
    seed: maybe(Type.Integer({ description: 'For repeatable answers, where the model supports them.' })),
    stop: maybe(Type.Union([Type.String(), Type.Array(Type.String(), { maxItems: 16 })])),
    logit_bias: maybe(Type.Record(Type.String({ pattern: '^\\d{1,10}$' }), Type.Number())),
    logprobs: maybe(Type.Boolean()),
    top_logprobs: maybe(Type.Integer({ minimum: 0, maximum: 20, description: 'Needs logprobs.' })),
    user: maybe(Type.String({ description: 'An id of your own user, passed on to the provider.' })),
    tools: maybe(Type.Array(Tool, { maxItems: 128 })),
    tool_choice: maybe(toolChoice),
    parallel_tool_calls: maybe(Type.Boolean()),
    response_format: maybe(ResponseFormat),
    structured_outputs: maybe(Type.Boolean()),
    modalities: maybe(
      listOf(Type.Union([Type.Literal('text'), Type.Literal('image')]), '`image` asks for pictures as well.'),
    ),
    image_config: maybe(anyObject('Passed on unchanged.')),
    input_audio: maybe(Type.Object({ data: Type.String(), format: Type.String() }, open)),
    reasoning_effort: maybe(Type.String({ description: 'One of low, medium, high.' })),
    reasoning: maybe(reasoning),
    thinking: maybe(Type.Object({ type: Type.String(), budget_tokens: maybe(Type.Integer({ minimum: 0 })) }, open)),
    enable_thinking: maybe(
      Type.Boolean({ description: 'Turns on thinking, which some models charge at a higher price.' }),
    ),
    route: maybe(Type.String({ description: 'Without effect.' })),
    ...routing,
  },
  { ...open, ...named('ChatCompletionRequest') },
);

export const Usage = Type.Object(
  {
    prompt_tokens: count('Tokens of the prompt.'),
    completion_tokens: count('Tokens of the answer.'),
    total_tokens: count('Both.'),
    cost: usd('What was charged.'),
    prompt_tokens_details: Type.Object(
      {
        cached_tokens: count('Read from a cache.'),
        cache_write_tokens: Type.Optional(count('Written to a cache.')),
        audio_tokens: Type.Optional(count('Sound.')),
      },
      open,
    ),
    completion_tokens_details: Type.Object(
      { reasoning_tokens: count('Tokens of reasoning.'), image_tokens: Type.Optional(count('Tokens of pictures.')) },
      open,
    ),
  },
  { ...open, ...named('ChatUsage') },
);

const finishReason = orNull(text('One of stop, length, tool_calls, content_filter, error.'));
const envelope = {
  id: text('The id of the generation; GET /v1/generation gives its record.'),
  created: Type.Integer({ description: 'Unix seconds.' }),
  model: text('The model that answered.'),
};

export const ChatCompletion = Type.Object(
  {
    ...envelope,
    object: Type.Literal('chat.completion'),
    choices: listOf(
      Type.Object(
        {
          index: Type.Integer(),
          message: Type.Object(
            { role: Type.Literal('assistant'), content: orNull(Type.String()), tool_calls: maybe(listOf(ToolCall)) },
            open,
          ),
          finish_reason: finishReason,
          native_finish_reason: Type.Optional(orNull(text("The finish reason in the provider's own words."))),
        },
        open,
      ),
    ),
    usage: Usage,
  },
  { ...open, ...named('ChatCompletion') },
);

export const ChatCompletionChunk = Type.Object(
  {
    ...envelope,
    object: Type.Literal('chat.completion.chunk'),
    choices: listOf(
      Type.Object(
        {
          index: Type.Integer(),
          delta: Type.Object({ role: maybe(Type.String()), content: maybe(Type.String()) }, open),
          finish_reason: Type.Optional(finishReason),
        },
        open,
      ),
    ),
    usage: Type.Optional(orNull(Usage)),
  },
  {
    ...open,
    ...named('ChatCompletionChunk', 'One `data:` line; the last is `[DONE]`. A failure is an error object instead.'),
  },
);
