// The text of an answer that was kept as the client got it, in any of our dialects, whole or as a stream. Parts that
// are neither text nor thinking (tool calls, usage) stay in the answer itself.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../../canonical/json.ts';

type Texts = Readonly<{ completion: string; reasoning: string | null }>;

export function textsOf(answer: string, isStream: boolean): Texts {
  const found = { completion: '', reasoning: '' };
  for (const value of isStream ? eventsIn(answer) : [parsed(answer)]) if (isJsonObject(value)) collect(value, found);
  return { completion: found.completion, reasoning: found.reasoning === '' ? null : found.reasoning };
}

const eventsIn = (stream: string): readonly unknown[] =>
  [...stream.matchAll(/^data: ?(\{.*\})\r?$/gm)].map(([, json = '']) => parsed(json));

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

type Found = { completion: string; reasoning: string };

function collect(value: JsonObject, found: Found): void {
  for (const choice of objectsIn(value.choices)) {
    const said = isJsonObject(choice.delta) ? choice.delta : choice.message;
    if (isJsonObject(said)) {
      found.completion += textIn(said.content);
      found.reasoning += textIn(said.reasoning ?? said.reasoning_content);
    } else found.completion += textIn(choice.text);
  }
  const delta = objectOrEmpty(value.delta);
  switch (value.type) {
    case 'response.output_text.delta':
      found.completion += textIn(value.delta);
      return;
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      found.reasoning += textIn(value.delta);
      return;
    case 'content_block_delta':
      found.completion += textIn(delta.text);
      found.reasoning += textIn(delta.thinking);
      return;
    case 'message':
      for (const block of objectsIn(value.content)) {
        found.completion += textIn(block.text);
        found.reasoning += textIn(block.thinking);
      }
      return;
    default:
      collectItems(value, found);
  }
}

/** The items of a whole answer of the Responses dialect. */
function collectItems({ object, output }: JsonObject, found: Found): void {
  if (object !== 'response') return;
  for (const item of objectsIn(output)) {
    for (const { text } of objectsIn(item.type === 'message' ? item.content : [])) found.completion += textIn(text);
    for (const { text } of objectsIn(item.type === 'reasoning' ? item.summary : [])) found.reasoning += textIn(text);
  }
}

const objectsIn = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return objectsIn(value)
    .map(({ text }) => (typeof text === 'string' ? text : ''))
    .join('');
}
