// Every text in a conversation's body, in any dialect: where it is, who wrote it and how to change it. One walk serves
// reading and replacing, so that both see the same parts in the same order. Thinking that a vendor has sealed is left
// alone, because a changed seal would be refused, and thinking that is only text is read like any other; pictures and
// sounds have no text.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import type { PassageOrigin, TextVisitor } from '../canonical/passage.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import { NO_UNITS } from '../canonical/usage.ts';
import type { JsonDocument } from '../platform/json-document.ts';
import { mapDescriptions, mapItems, mapJsonText, mapLeaves } from './map-leaves.ts';
import { createStraysMapper, mapStrayFields } from './map-strays.ts';
import { provesThinking } from './messages/sealed-reasoning.ts';
import { provesReasoning } from './responses/sealed-reasoning.ts';

/** Allocates nothing where nothing changes: every call is walked, and few are changed. */
type Mapper = (value: unknown, visitor: TextVisitor, origin: PassageOrigin) => unknown;

/** Members of a body that contain the conversation or instruct the model, in the order in which they are visited. */
const BODY_MEMBERS: Readonly<Record<string, Mapper>> = {
  system: mapPassage,
  instructions: mapPassage,
  tools: mapDescribed,
  functions: mapDescribed,
  response_format: mapDescribed,
  text: mapDescribed,
  output_config: mapDescribed,
  output_format: mapDescribed,
  messages: mapTurns,
  input: mapTurns,
  /** Documents that some vendors' models answer from, beside the conversation. */
  documents: mapDocuments,
  prediction: (value, visitor) => mapPassage(value, visitor, 'assistant'),
};

/** Members of a message, an item or a part that contain text. */
const WORD_MEMBERS: Readonly<Record<string, Mapper>> = {
  title: mapWords,
  context: mapWords,
  content: mapWords,
  text: mapWords,
  refusal: mapWords,
  thinking: mapWords,
  summary: mapWords,
  reasoning: mapWords,
  reasoning_content: mapWords,
  reasoning_details: mapWords,
  output: mapWords,
  source: mapSource,
  tool_calls: mapWords,
  function_call: mapWords,
  function: mapWords,
  custom: mapWords,
  tools: mapDescribed,
  arguments: mapArguments,
  input: mapArguments,
};

const isField = (name: string): boolean => Object.hasOwn(BODY_MEMBERS, name);
/** Members in which the walk reads every text. */
const WHOLLY_READ: ReadonlySet<string> = new Set(['tools', 'arguments', 'input']);
const mapStrays = createStraysMapper(
  (name) => Object.hasOwn(WORD_MEMBERS, name),
  (name) => WHOLLY_READ.has(name),
);

/** What every conversation offers to reviewers; `parse` is the dialect's own. */
export function reviewable(
  body: JsonObject,
  source: JsonDocument | null,
  parse: (body: JsonObject, source: JsonDocument | null) => ConversationRequest,
): Pick<ConversationRequest, 'source' | 'unitsMax' | 'visitTexts' | 'withTexts' | 'withBody'> {
  return {
    source,
    unitsMax: NO_UNITS,
    visitTexts: (visitor) => mapTexts(body, visitor),
    withTexts: (replace) => parse(mapTexts(body, { begin: () => undefined, replace }), source),
    withBody: (changed) => parse(changed, source),
  };
}

/** A new body where anything has changed; unchanged parts are shared. */
function mapTexts(body: JsonObject, visitor: TextVisitor): JsonObject {
  return mapStrayFields(mapMembers(body, BODY_MEMBERS, visitor, 'instructions'), isField, visitor);
}

function mapMembers(
  object: JsonObject,
  members: Readonly<Record<string, Mapper>>,
  visitor: TextVisitor,
  origin: PassageOrigin,
): JsonObject {
  let mapped = object;
  for (const name in members) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const changed = (members[name] as Mapper)(value, visitor, origin);
    if (changed !== value) mapped = { ...mapped, [name]: changed };
  }
  return mapped;
}

function mapPassage(value: unknown, visitor: TextVisitor, origin: PassageOrigin): unknown {
  visitor.begin(origin);
  return mapStrays(mapWords(value, visitor, origin), visitor, origin);
}

function mapTurns(value: unknown, visitor: TextVisitor): unknown {
  return Array.isArray(value) ? mapItems(value, mapTurn, visitor, 'user') : mapPassage(value, visitor, 'user');
}

function mapDescribed(value: unknown, visitor: TextVisitor): unknown {
  return typeof value === 'string' ? mapPassage(value, visitor, 'instructions') : mapDescriptions(value, visitor);
}

function mapDocuments(value: unknown, visitor: TextVisitor): unknown {
  return Array.isArray(value) ? mapItems(value, mapDocument, visitor, 'user') : mapDocument(value, visitor);
}

function mapDocument(document: unknown, visitor: TextVisitor): unknown {
  visitor.begin('user');
  return mapLeaves(document, (leaf) => visitor.replace(leaf));
}

function mapTurn(turn: unknown, visitor: TextVisitor): unknown {
  return mapPassage(turn, visitor, isJsonObject(turn) ? originOf(turn) : 'user');
}

function originOf({ role, type }: JsonObject): PassageOrigin {
  if (role === 'system' || role === 'developer') return 'instructions';
  if (role === 'assistant') return 'assistant';
  if (role === 'tool' || role === 'function') return 'tool';
  if (typeof role === 'string' || typeof type !== 'string') return 'user';
  // In one of the dialects tool calls and their results are items of their own.
  if (type.endsWith('_output')) return 'tool';
  return type.endsWith('_call') || type === 'reasoning' ? 'assistant' : 'user';
}

function mapWords(value: unknown, visitor: TextVisitor, origin: PassageOrigin): unknown {
  if (typeof value === 'string') return visitor.replace(value);
  if (Array.isArray(value)) return mapItems(value, mapWords, visitor, origin);
  if (!isJsonObject(value) || isSealed(value)) return value;
  if (value.type !== 'tool_result') return mapMembers(value, WORD_MEMBERS, visitor, origin);
  // It is in the user's message, but a tool wrote it.
  visitor.begin('tool');
  const mapped = mapMembers(value, WORD_MEMBERS, visitor, 'tool');
  visitor.begin(origin);
  return mapped;
}

/** Of the three forms of thinking; in chat a signed text has its signature beside it. */
function isSealed({ type, signature, encrypted_content: encrypted }: JsonObject): boolean {
  switch (type) {
    case 'thinking':
      return provesThinking(signature);
    case 'reasoning':
      return provesReasoning(encrypted);
    case 'reasoning.text':
      return typeof signature === 'string' && signature !== '';
    default:
      return type === 'redacted_thinking';
  }
}

const SOURCE_MEMBERS: Readonly<Record<string, Readonly<Record<string, Mapper>>>> = {
  text: { data: mapWords },
  content: { content: mapWords },
};

/** A document's text, or where a result of a search is from; every other source is an address or encoded bytes. */
function mapSource(value: unknown, visitor: TextVisitor, origin: PassageOrigin): unknown {
  if (typeof value === 'string') return visitor.replace(value);
  if (!isJsonObject(value) || (value.type !== 'text' && value.type !== 'content')) return value;
  return mapMembers(value, SOURCE_MEMBERS[value.type] ?? {}, visitor, origin);
}

/** The arguments of a tool call: JSON as text or as an object, or plain text where the tool takes that. */
function mapArguments(value: unknown, visitor: TextVisitor, origin: PassageOrigin): unknown {
  const visit = (leaf: string): string => {
    visitor.begin(origin);
    return visitor.replace(leaf);
  };
  const mapped = typeof value === 'string' ? mapJsonText(value, visit) : mapLeaves(value, visit);
  visitor.begin(origin);
  return mapped;
}
