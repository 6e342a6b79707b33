// Every text in a conversation's body, in any dialect: where it is, who wrote it and how to change it. One walk serves
// reading and replacing, so that both see the same parts in the same order. Thinking that a vendor has sealed is left
// alone, because a changed seal would be refused, and thinking that is only text is read like any other; pictures and
// sounds have no text. Names of members are read and never replaced: what they belong to would not fit any more.

import { isJsonObject, type JsonObject } from '../canonical/json.ts';
import type { PassageOrigin, ReplacePart, TextVisitor } from '../canonical/passage.ts';
import type { ConversationRequest } from '../canonical/request.ts';
import type { JsonDocument } from '../platform/json-document.ts';
import { mapDescriptions, mapItems, mapJsonText, mapLeaves, type Names } from './map-leaves.ts';
import { createStraysMapper, mapStrayFields } from './map-strays.ts';
import { provesThinking } from './messages/sealed-reasoning.ts';
import { provesReasoning } from './responses/sealed-reasoning.ts';
import { mapFileText, prepareFileTexts } from './text-file.ts';

/** A walk for a visitor. It is used again: nearly every request is walked, and a walk never waits. */
class Walk implements TextVisitor {
  readonly #gathered = new Set<string>();
  #visitor: TextVisitor = NOBODY;
  names: Names = null;
  omitsFiles: true | undefined;

  start(visitor: TextVisitor): void {
    this.#visitor = visitor;
    // Even an empty set takes memory to be cleared.
    if (this.#gathered.size > 0) this.#gathered.clear();
    this.names = visitor.readFixed === undefined ? null : this.#gathered;
    this.omitsFiles = visitor.omitsFiles;
  }

  begin(origin: PassageOrigin): void {
    this.#visitor.begin(origin);
  }

  replace(part: string): string {
    return this.#visitor.replace(part);
  }

  /** Names together are one text: an agent's tools have hundreds, of a few letters each. */
  end(): void {
    if (this.#gathered.size > 0) this.#visitor.readFixed?.([...this.#gathered].join('\n'));
    this.start(NOBODY);
  }
}

const NOBODY: TextVisitor = { begin: () => undefined, replace: (part) => part };
const walk = new Walk();

/**
 * Allocates nothing where nothing changes: every call is walked, and few are changed. `holder` is what has the value as
 * a member.
 */
type Mapper = (value: unknown, walk: Walk, origin: PassageOrigin, holder: JsonObject) => unknown;

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
  prediction: (value, walk) => mapPassage(value, walk, 'assistant'),
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
  file: mapWords,
  file_data: mapFileData,
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
): Pick<ConversationRequest, 'prepareTexts' | 'visitTexts' | 'withTexts' | 'withBody'> {
  return {
    prepareTexts: (owner) => prepareFileTexts(body, owner),
    visitTexts: (visitor) => mapTexts(body, visitor),
    withTexts: (replace) => parse(mapTexts(body, { begin: () => undefined, replace }), source),
    withBody: (changed) => parse(changed, source),
  };
}

/** The texts of something that a model or its provider has written, which may come back in a conversation. */
export function mapPassageTexts(value: JsonObject, replace: ReplacePart): JsonObject {
  walk.start({ begin: () => undefined, replace, readFixed: replace });
  const mapped = mapPassage(value, walk, 'assistant') as JsonObject;
  walk.end();
  return mapped;
}

/** A new body where anything has changed; unchanged parts are shared. */
function mapTexts(body: JsonObject, visitor: TextVisitor): JsonObject {
  walk.start(visitor);
  const mapped = mapStrayFields(mapMembers(body, BODY_MEMBERS, walk, 'instructions'), isField, walk);
  walk.end();
  return mapped;
}

function mapMembers(
  object: JsonObject,
  members: Readonly<Record<string, Mapper>>,
  walk: Walk,
  origin: PassageOrigin,
): JsonObject {
  let mapped = object;
  for (const name in members) {
    const value = object[name];
    if (value === undefined || value === null) continue;
    const changed = (members[name] as Mapper)(value, walk, origin, object);
    if (changed !== value) mapped = { ...mapped, [name]: changed };
  }
  return mapped;
}

function mapPassage(value: unknown, walk: Walk, origin: PassageOrigin): unknown {
  walk.begin(origin);
  return mapStrays(mapWords(value, walk, origin), walk, origin);
}

function mapTurns(value: unknown, walk: Walk): unknown {
  return Array.isArray(value) ? mapItems(value, mapTurn, walk, 'user') : mapPassage(value, walk, 'user');
}

function mapDescribed(value: unknown, walk: Walk): unknown {
  return typeof value === 'string' ? mapPassage(value, walk, 'instructions') : mapDescriptions(value, walk);
}

function mapDocuments(value: unknown, walk: Walk): unknown {
  return Array.isArray(value) ? mapItems(value, mapDocument, walk, 'user') : mapDocument(value, walk);
}

function mapDocument(document: unknown, walk: Walk): unknown {
  walk.begin('user');
  return mapLeaves(document, (leaf) => walk.replace(leaf));
}

function mapTurn(turn: unknown, walk: Walk): unknown {
  if (!isJsonObject(turn)) return mapPassage(turn, walk, 'user');
  const origin = originOf(turn);
  return mapPassage(mapSpeaker(turn, walk, origin), walk, origin);
}

/** Who speaks, in the caller's own words; only the format of chat has it. */
function mapSpeaker(turn: JsonObject, walk: Walk, origin: PassageOrigin): JsonObject {
  const { role, name } = turn;
  if (typeof name !== 'string' || typeof role !== 'string') return turn;
  walk.begin(origin);
  const changed = walk.replace(name);
  return changed === name ? turn : { ...turn, name: changed };
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

function mapWords(value: unknown, walk: Walk, origin: PassageOrigin): unknown {
  if (typeof value === 'string') return walk.replace(value);
  if (Array.isArray(value)) return mapItems(value, mapWords, walk, origin);
  if (!isJsonObject(value) || isSealed(value)) return value;
  if (value.type !== 'tool_result') return mapMembers(value, WORD_MEMBERS, walk, origin);
  // It is in the user's message, but a tool wrote it.
  walk.begin('tool');
  const mapped = mapMembers(value, WORD_MEMBERS, walk, 'tool');
  walk.begin(origin);
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
  base64: { data: mapFileData },
};

/** The text of a file that is one; pictures and the like stay as they are. */
function mapFileData(value: unknown, walk: Walk, _origin: PassageOrigin, holder: JsonObject): unknown {
  if (typeof value !== 'string' || walk.omitsFiles === true) return value;
  return mapFileText(value, holder, (text) => walk.replace(text));
}

/** A document's text, or where a result of a search is from; every other source is an address or other bytes. */
function mapSource(value: unknown, walk: Walk, origin: PassageOrigin): unknown {
  if (typeof value === 'string') return walk.replace(value);
  if (!isJsonObject(value) || typeof value.type !== 'string' || !Object.hasOwn(SOURCE_MEMBERS, value.type))
    return value;
  return mapMembers(value, SOURCE_MEMBERS[value.type] ?? {}, walk, origin);
}

/** The arguments of a tool call: JSON as text or as an object, or plain text where the tool takes that. */
function mapArguments(value: unknown, walk: Walk, origin: PassageOrigin): unknown {
  const visit = (leaf: string): string => {
    walk.begin(origin);
    return walk.replace(leaf);
  };
  const mapped =
    typeof value === 'string' ? mapJsonText(value, visit, walk.names) : mapLeaves(value, visit, walk.names);
  walk.begin(origin);
  return mapped;
}
