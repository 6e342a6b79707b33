// Bodies that are allowed by their size and number of elements and have as much of one thing as fits: messages, parts,
// calls, tools, parts of a schema, members in the arguments of a call. Code that looks back at everything for each of
// them, or writes a definition wherever it is referred to, shows itself here.

export type Shape = Readonly<Record<string, unknown>>;

const many = <Item>(count: number, make: (index: number) => Item): Item[] =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <Item>(count: number, make: (index: number) => Item): Record<string, Item> =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]));

const PICTURE = 'data:image/png;base64,iVBORw0KGgo=';
const PAGES = 'data:application/pdf;base64,JVBERi0=';
const ephemeral = { cache_control: { type: 'ephemeral' } };
const asked = (content: unknown = 'x'): Shape => ({ role: 'user', content });
const inTurn = (index: number): string => (index % 2 === 0 ? 'user' : 'assistant');
const textPart = (): Shape => ({ type: 'text', text: 'x' });

// Schemas.

const required = (count: number, prefix = 'r'): readonly string[] => many(count, (index) => `${prefix}${index}`);
const PARTS_THAT_REQUIRE = { allOf: many(1_900, (part) => ({ required: required(90, `r${part}-`) })) };
const reference = { $ref: '#/$defs/d' };
const refersTwice = { type: 'object', properties: { x: reference, y: reference } };

function nested(depth: number): Shape {
  let schema: Shape = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

const SCHEMAS: Readonly<Record<string, readonly Shape[]>> = {
  'parts with members': [{ allOf: many(1_900, (i) => ({ properties: { [`p${i}`]: { type: 'string' } } })) }],
  'parts that require': [PARTS_THAT_REQUIRE],
  choices: [{ type: 'object', properties: { a: { anyOf: many(30_000, () => ({ type: 'string' })) } } }],
  values: [{ type: 'object', properties: { a: { enum: many(190_000, (index) => index) } } }],
  types: [{ type: many(190_000, () => 'string') }],
  'references to a list': [
    { $defs: { d: { required: required(100_000) } }, properties: named(4_900, () => reference) },
  ],
  'references in references': many(128, () => ({ $defs: { d: refersTwice }, ...reference })),
  'parts in parts': many(128, () => ({ $defs: { d: { allOf: many(20, () => reference) } }, ...reference })),
  'references to a long text': many(128, () => ({
    $defs: { d: { ...refersTwice, description: 'x'.repeat(50_000) } },
    properties: named(300, () => reference),
  })),
  'choices of one object': many(10, () => ({
    $defs: { d: { properties: named(1_500, () => ({ type: 'string' })), required: required(1_500) } },
    anyOf: many(3_000, () => reference),
  })),
  'choices with a long text': [
    { properties: { a: { description: 'x'.repeat(500_000), anyOf: many(30_000, () => ({ type: 'string' })) } } },
  ],
  wide: [{ type: 'object', properties: named(4_900, () => ({ properties: named(8, () => ({ type: 'string' })) })) }],
  deep: many(128, () => nested(25)),
};

// Chat completions.

const tool = (name: string, parameters: unknown = {}): Shape => ({ type: 'function', function: { name, parameters } });
const call = (id: string, text = '{}'): Shape => ({ id, type: 'function', function: { name: 'f', arguments: text } });
const result = (id: string): Shape => ({ role: 'tool', tool_call_id: id, content: 'r' });

/** One answer with many calls, and their results in the opposite order. */
const answered = (count: number, idOf: (index: number) => string): Shape => ({
  messages: [
    asked(),
    { role: 'assistant', tool_calls: many(count, (index) => call(idOf(index))) },
    ...many(count, (index) => result(idOf(count - 1 - index))),
  ],
  tools: [tool('f')],
});

const calledWith = (text: string): Shape => ({
  messages: [asked(), { role: 'assistant', tool_calls: [call('c', text)] }, result('c')],
  tools: [tool('f')],
});

const CHAT: Readonly<Record<string, Shape>> = {
  messages: { messages: many(36_000, () => asked()) },
  turns: { messages: many(36_000, (index) => ({ role: inTurn(index), content: 'x' })) },
  instructions: { messages: many(36_000, (index) => ({ role: index % 2 === 0 ? 'user' : 'system', content: 'x' })) },
  parts: { messages: [asked(many(36_000, textPart))] },
  pictures: { messages: [asked(many(20_000, () => ({ type: 'image_url', image_url: { url: PICTURE } })))] },
  files: {
    messages: [asked(many(18_000, () => ({ type: 'file', file: { filename: 'a.pdf', file_data: PAGES } })))],
  },
  'cache markers': { messages: [asked(many(18_000, () => ({ ...textPart(), ...ephemeral })))] },
  calls: answered(6_000, (index) => `c${index}`),
  'calls of one id': answered(6_000, () => 'c'),
  'calls with odd ids': answered(5_000, (index) => '!'.repeat(index % 100) + '?'.repeat(60)),
  'results without calls': {
    messages: [asked(), ...many(25_000, (index) => result(`c${index}`))],
    tools: [tool('f')],
  },
  'calls without results': {
    messages: [asked(), ...many(6_000, (index) => ({ role: 'assistant', tool_calls: [call(`c${index}`)] }))],
    tools: [tool('f')],
  },
  'deep arguments': calledWith(`{"a":${'['.repeat(1_000_000)}${']'.repeat(1_000_000)}}`),
  'wide arguments': calledWith(`{"a":[${'{},'.repeat(2_000_000)}{}]}`),
  'arguments with members': calledWith(JSON.stringify(named(400_000, () => 1))),
  'arguments of spaces': calledWith(' '.repeat(8_000_000)),
  'a long picture': asked([{ type: 'image_url', image_url: { url: `data:image/png;base64,${'A'.repeat(8e6)}` } }]),
  brackets: { messages: [asked('['.repeat(8_000_000))] },
  'pictures in text': { messages: [asked('![a](data:image/png;base64,'.repeat(300_000))] },
  thoughts: {
    messages: [
      asked(),
      {
        role: 'assistant',
        content: 'a',
        reasoning_details: many(18_000, (index) => ({ type: 'reasoning.text', text: 't', index: 18_000 - index })),
      },
      asked(),
    ],
  },
  ...Object.fromEntries(
    Object.entries(SCHEMAS).map(([name, schemas]) => [
      `schemas: ${name}`,
      { messages: [asked()], tools: schemas.map((schema, index) => tool(`f${index}`, schema)) },
    ]),
  ),
  'a schema of the answer': {
    messages: [asked()],
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: PARTS_THAT_REQUIRE } },
  },
};

// Responses.

const item = (index: number): Shape => ({
  role: inTurn(index),
  content: [{ type: index % 2 === 0 ? 'input_text' : 'output_text', text: 'x' }],
});

const RESPONSES: Readonly<Record<string, Shape>> = {
  items: { input: many(15_000, item) },
  calls: {
    input: [
      item(0),
      ...many(12_000, (index) => ({ type: 'function_call', call_id: `c${index}`, name: 'f', arguments: '{}' })),
      ...many(12_000, (index) => ({ type: 'function_call_output', call_id: `c${11_999 - index}`, output: 'r' })),
    ],
    tools: [{ type: 'function', name: 'f', parameters: {} }],
  },
  'parts that require': { input: 'x', tools: [{ type: 'function', name: 'f', parameters: PARTS_THAT_REQUIRE }] },
};

// Messages.

const MESSAGES: Readonly<Record<string, Shape>> = {
  turns: { messages: many(36_000, (index) => ({ role: inTurn(index), content: 'x' })) },
  blocks: { messages: [asked(many(36_000, textPart))] },
  instructions: { system: many(36_000, textPart), messages: [asked()] },
  results: {
    messages: [
      asked(),
      {
        role: 'assistant',
        content: many(9_000, (index) => ({ type: 'tool_use', id: `c${index}`, name: 'f', input: {} })),
      },
      asked(many(9_000, (index) => ({ type: 'tool_result', tool_use_id: `c${8_999 - index}`, content: 'r' }))),
    ],
    tools: [{ name: 'f', input_schema: { type: 'object' } }],
  },
  documents: {
    messages: [
      asked(
        many(12_000, () => ({
          type: 'document',
          title: 'a',
          source: { type: 'text', media_type: 'text/plain', data: 'x' },
        })),
      ),
    ],
  },
  'parts that require': {
    messages: [asked()],
    tools: [{ name: 'f', input_schema: { type: 'object', ...PARTS_THAT_REQUIRE } }],
  },
};

export const SHAPES: Readonly<Record<'chat' | 'responses' | 'messages', Readonly<Record<string, Shape>>>> = {
  chat: CHAT,
  responses: RESPONSES,
  messages: MESSAGES,
};
