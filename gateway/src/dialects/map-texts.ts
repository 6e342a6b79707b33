// Every word in a conversation's body, whatever its dialect: where it is, whose it is and how to change it. There is one
// walk for reading and for replacing, so that both see the same parts in the same order. Thinking that a vendor has
// sealed is left alone, since a changed seal would be refused; pictures and sounds are no words.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import type { Passage, PassageOrigin, ReplacePart } from '../canonical/passage.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { NO_UNITS } from '../canonical/usage.ts';
import type { JsonDocument } from '../platform/json-document.ts';
import { mapDescriptions, mapJsonText, mapLeaves } from './map-leaves.ts';

/** What is done with the words. */
export type TextVisitor = Readonly<{
  /** What follows belongs together, up to the next call. */
  begin(origin: PassageOrigin): void;
  replace: ReplacePart;
}>;

type Context = Readonly<{ visitor: TextVisitor; origin: PassageOrigin }>;
type Mapper = (value: unknown, context: Context) => unknown;

const SEALED_TYPES: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'reasoning']);

/** Members of a body that hold the conversation or instruct the model, in the order in which they are visited. */
const BODY_MEMBERS: Readonly<Record<string, Mapper>> = {
  system: mapPassage,
  instructions: mapPassage,
  tools: (value, { visitor }) => mapDescriptions(value, visitor),
  messages: mapTurns,
  input: mapTurns,
  prediction: (value, { visitor }) => mapPassage(value, { visitor, origin: 'assistant' }),
};

/** Members of a message, an item or a part that hold words. */
const WORD_MEMBERS: Readonly<Record<string, Mapper>> = {
  title: mapWords,
  context: mapWords,
  content: mapWords,
  text: mapWords,
  refusal: mapWords,
  output: mapWords,
  source: mapSource,
  tool_calls: mapWords,
  function_call: mapWords,
  function: mapWords,
  custom: mapWords,
  arguments: mapArguments,
  input: mapArguments,
};

/** What every conversation offers to reviewers; `parse` is the dialect's own. */
export function reviewable(
  body: JsonObject,
  source: JsonDocument | null,
  parse: (body: JsonObject, source: JsonDocument | null) => ConversationRequest,
): Pick<ConversationRequest, 'source' | 'unitsMax' | 'texts' | 'withTexts' | 'withBody'> {
  return {
    source,
    unitsMax: NO_UNITS,
    texts: () => listPassages(body),
    withTexts: (replace) => parse(mapTexts(body, { begin: () => undefined, replace }), source),
    withBody: (changed) => parse(changed, source),
  };
}

function listPassages(body: JsonObject): readonly Passage[] {
  const passages: { origin: PassageOrigin; parts: string[] }[] = [];
  mapTexts(body, {
    begin: (origin) => passages.push({ origin, parts: [] }),
    replace(part) {
      passages.at(-1)?.parts.push(part);
      return part;
    },
  });
  return passages.filter(({ parts }) => parts.length > 0);
}

/** A new body where anything has changed; what has not is shared. */
function mapTexts(body: JsonObject, visitor: TextVisitor): JsonObject {
  return mapMembers(body, BODY_MEMBERS, { visitor, origin: 'instructions' });
}

function mapMembers(object: JsonObject, members: Readonly<Record<string, Mapper>>, context: Context): JsonObject {
  let mapped = object;
  for (const name in members) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const changed = members[name]?.(value, context);
    if (changed !== value) mapped = { ...mapped, [name]: changed };
  }
  return mapped;
}

function mapPassage(value: unknown, context: Context): unknown {
  context.visitor.begin(context.origin);
  return mapWords(value, context);
}

function mapTurns(value: unknown, { visitor }: Context): unknown {
  if (typeof value === 'string') return mapPassage(value, { visitor, origin: 'user' });
  if (!Array.isArray(value)) return value;
  return mapItems(value, (turn) => (isJsonObject(turn) ? mapPassage(turn, { visitor, origin: originOf(turn) }) : turn));
}

function originOf({ role, type }: JsonObject): PassageOrigin {
  if (role === 'system' || role === 'developer') return 'instructions';
  if (role === 'assistant') return 'assistant';
  if (role === 'tool' || role === 'function') return 'tool';
  if (typeof role === 'string' || typeof type !== 'string') return 'user';
  // What tools were asked and what they answered are items of their own in one of the dialects.
  if (type.endsWith('_output')) return 'tool';
  return type.endsWith('_call') ? 'assistant' : 'user';
}

function mapWords(value: unknown, context: Context): unknown {
  if (typeof value === 'string') return context.visitor.replace(value);
  if (Array.isArray(value)) return mapItems(value, (item) => mapWords(item, context));
  if (!isJsonObject(value) || SEALED_TYPES.has(value.type)) return value;
  if (value.type !== 'tool_result') return mapMembers(value, WORD_MEMBERS, context);
  // Stands among what the user says, but a tool said it.
  context.visitor.begin('tool');
  const mapped = mapMembers(value, WORD_MEMBERS, { ...context, origin: 'tool' });
  context.visitor.begin(context.origin);
  return mapped;
}

/** A document's text; of every other source there is only an address or encoded bytes. */
function mapSource(value: unknown, context: Context): unknown {
  if (!isJsonObject(value)) return value;
  if (value.type === 'text') return mapMembers(value, { data: mapWords }, context);
  return value.type === 'content' ? mapMembers(value, { content: mapWords }, context) : value;
}

/** What a tool was called with: JSON as a text or as an object, or plain text where the tool takes that. */
function mapArguments(value: unknown, { visitor, origin }: Context): unknown {
  const visit = (leaf: string): string => {
    visitor.begin(origin);
    return visitor.replace(leaf);
  };
  const mapped = typeof value === 'string' ? mapJsonText(value, visit) : mapLeaves(value, visit);
  visitor.begin(origin);
  return mapped;
}

function mapItems(items: readonly unknown[], map: (item: unknown) => unknown): readonly unknown[] {
  const mapped = items.map(map);
  return mapped.some((item, index) => item !== items[index]) ? mapped : items;
}
