// A whole message in the vendor-neutral form. Blocks of the upstream's own tools and of unknown kinds stay as they are:
// only clients of the same format have a place for them.

import type { Answer, AnswerPart } from '../../../canonical/answer.ts';
import type { Citation, DocumentPlace, ToolCallPart } from '../../../canonical/conversation.ts';
import { finishReasonOf } from '../../../canonical/finish-reason.ts';
import { isFilled, isJsonObject, isSet, type JsonObject, textOrEmpty, textOrNull } from '../../../canonical/json.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readUsage } from './convert-usage.ts';

export function toAnswer(json: JsonObject): Answer {
  const blocks = Array.isArray(json.content) ? json.content.filter(isJsonObject) : [];
  const native = textOrNull(json.stop_reason);
  const own = readOwnMembers(json);
  return {
    parts: blocks.flatMap(toPart),
    finishReason: native === null ? 'stop' : finishReasonOf(native),
    nativeFinishReason: native,
    stopSequence: textOrNull(json.stop_sequence),
    ...(own !== null && { own }),
    usage: readUsage(json.usage),
  };
}

function toPart(block: JsonObject): AnswerPart[] {
  switch (block.type) {
    case 'text': {
      if (!isFilled(block.text)) return [];
      const citations = Array.isArray(block.citations) ? block.citations.flatMap(readCitation) : [];
      return [{ type: 'text', text: block.text, ...(citations.length > 0 && { citations }) }];
    }
    case 'thinking': {
      const signature = isFilled(block.signature) ? block.signature : undefined;
      return [{ type: 'reasoning', text: textOrEmpty(block.thinking), signature }];
    }
    case 'redacted_thinking':
      return typeof block.data === 'string' ? [{ type: 'reasoning', text: '', redactedData: block.data }] : [];
    case 'tool_use': {
      const { id, name, input } = block;
      if (typeof id !== 'string' || typeof name !== 'string') return [];
      return [{ type: 'tool-call', id, name, argumentsText: inputText(input), ...readOwn(block) }];
    }
    default:
      return typeof block.type === 'string' ? [{ type: 'block', block }] : [];
  }
}

/** Where its tools ran, why it was refused, and what was done to the conversation before the model read it. */
const OWN_MEMBERS = ['container', 'stop_details', 'context_management', 'input_transformations'];

/** Null where there is nothing. */
export function readOwnMembers(json: JsonObject): JsonObject | null {
  const set = OWN_MEMBERS.filter((name) => isSet(json[name]));
  return set.length === 0 ? null : Object.fromEntries(set.map((name) => [name, json[name]]));
}

/** Who calls the tool, the model or a program that it wrote, and the set of tools that it belongs to. */
export function readOwn({ caller, toolset_name: toolset }: JsonObject): Pick<ToolCallPart, 'own'> {
  if (!isJsonObject(caller) && !isFilled(toolset)) return {};
  return { own: { ...(isJsonObject(caller) && { caller }), ...(isFilled(toolset) && { toolset_name: toolset }) } };
}

// A citation in this protocol's form, in a text block or a delta: of a page, of a search result that the caller gave,
// or of a place in a document.

/** Empty where it names no source. */
export function readCitation(value: unknown): readonly Citation[] {
  if (!isJsonObject(value)) return [];
  const url = textOrNull(value.url) ?? textOrNull(value.source);
  const documentIndex = Number.isSafeInteger(value.document_index) ? (value.document_index as number) : null;
  if (url === null && documentIndex === null) return [];
  const title = textOrNull(value.title) ?? textOrNull(value.document_title);
  const place = url === null ? placeIn(value) : undefined;
  const citation = { url, title, citedText: textOrNull(value.cited_text), documentIndex, range: null, block: value };
  return [place === undefined ? citation : { ...citation, place }];
}

const UNITS = [
  ['character', 'start_char_index', 'end_char_index'],
  ['page', 'start_page_number', 'end_page_number'],
  ['block', 'start_block_index', 'end_block_index'],
] as const;

function placeIn(value: JsonObject): DocumentPlace | undefined {
  for (const [unit, first, last] of UNITS) {
    const [start, end] = [value[first], value[last]];
    if (Number.isSafeInteger(start) && Number.isSafeInteger(end)) {
      return { unit, start: start as number, end: end as number };
    }
  }
  return undefined;
}

// The arguments of a tool call as text, which is how every other format carries them. A call without arguments still
// has an object: clients parse the text whether or not there is anything in it.

export function inputText(input: unknown): string {
  if (input === undefined || input === null || input === '') return '{}';
  return typeof input === 'string' ? input : stringifyExactJson(input);
}
