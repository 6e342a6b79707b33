// Turns input items into messages. Items without a counterpart are dropped where the model loses nothing, and calls of
// tools that only one vendor has become ordinary calls, so that their outputs keep their meaning.

import {
  type AssistantPart,
  type ContentPart,
  type ImagePart,
  isResultContent,
  type Message,
  type ReasoningPart,
  type TextPart,
  type ToolResultPart,
} from '../../canonical/conversation.ts';
import { customArguments } from '../../canonical/custom-tools.ts';
import {
  filledOrNull,
  isJsonObject,
  type JsonObject,
  objectOrEmpty,
  textOrEmpty,
  textOrNothing,
} from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import { rasterTypeOf } from '../../platform/raster-image.ts';
import { readMediaSource } from '../media-address.ts';
import { refuseCompaction } from '../refuse.ts';
import { isProof, unsealReasoning } from './sealed-reasoning.ts';
import type { ToolNames } from './tool-names.ts';

/** What the model did in a row, with the outputs of its calls. Any other message is complete as it is. */
type Draft = Readonly<{ message: Message }> | Turn;
type Turn = Readonly<{ parts: AssistantPart[]; pictures: ImagePart[]; results: ToolResultPart[] }>;

const CALL = /^(.+)_call$/;
/** The beginning of a picture's base64, by which it is recognized. */
const HEAD_LENGTH = 400;
const OUTPUT = /^.+_output$/;
/** The result of a search for tools; what was found is among the request's own tools, which are all offered at once. */
const TOOLS_FOUND = 'The tools that were found are available.';

export function convertItems(input: unknown, names: ToolNames): readonly Message[] {
  if (typeof input === 'string') return [{ role: 'user', parts: [{ type: 'text', text: input }] }];
  const drafts: Draft[] = [];
  const turnsByCallId = new Map<string, Turn>();
  const say = (part: AssistantPart): void => {
    const turn = openTurn(drafts);
    turn.parts.push(part);
    if (part.type === 'tool-call') turnsByCallId.set(part.id, turn);
  };
  for (const item of Array.isArray(input) ? input.filter(isJsonObject) : []) {
    const callId = textOrEmpty(item.call_id);
    const isOutput = typeof item.type === 'string' && OUTPUT.test(item.type);
    // An output whose call was dropped answers nothing any more.
    if (isOutput) turnsByCallId.get(callId)?.results.push(convertOutput(item, callId));
    else if (isMessage(item) && item.role !== 'assistant') drafts.push(...convertMessage(item));
    else if (item.type === 'image_generation_call') openTurn(drafts).pictures.push(...convertPicture(item));
    else for (const part of convertAssistantItem(item, names)) say(part);
  }
  return drafts.flatMap(finishDraft);
}

function openTurn(drafts: Draft[]): Turn {
  const last = drafts.at(-1);
  if (last !== undefined && 'parts' in last && last.results.length === 0) return last;
  const turn: Turn = { parts: [], pictures: [], results: [] };
  drafts.push(turn);
  return turn;
}

function finishDraft(draft: Draft): readonly Message[] {
  if ('message' in draft) return [draft.message];
  const { parts, pictures } = draft;
  if (parts.length === 0 && pictures.length === 0) return [];
  const turn: Message = { role: 'assistant', parts, ...(pictures.length === 0 ? {} : { pictures }) };
  return draft.results.length === 0 ? [turn] : [turn, { role: 'tool', parts: draft.results }];
}

function convertPicture({ result }: JsonObject): readonly ImagePart[] {
  const mediaType =
    typeof result === 'string' ? rasterTypeOf(Buffer.from(result.slice(0, HEAD_LENGTH), 'base64')) : null;
  if (typeof result !== 'string' || mediaType === null) return [];
  return [{ type: 'image', source: { kind: 'base64', mediaType, data: result } }];
}

function isMessage(item: JsonObject): boolean {
  return item.type === undefined || item.type === null || item.type === 'message';
}

function convertMessage(item: JsonObject): readonly Draft[] {
  const parts = convertBlocks(item.content);
  if (item.role === 'user') return [{ message: { role: 'user', parts } }];
  // Instructions are text in every other format; an image in them is still shown.
  const texts = parts.filter((part) => part.type === 'text');
  const others = parts.filter((part) => part.type !== 'text');
  const drafts: Draft[] = texts.length === 0 ? [] : [{ message: { role: 'system', parts: texts } }];
  if (others.length > 0) drafts.push({ message: { role: 'user', parts: others } });
  return drafts;
}

function convertAssistantItem(item: JsonObject, names: ToolNames): readonly AssistantPart[] {
  if (isMessage(item)) return convertBlocks(item.content).filter((part) => part.type === 'text');
  switch (item.type) {
    case 'reasoning':
      return [convertReasoning(item)];
    case 'function_call':
      return [toolCall(item, names, textOrEmpty(item.arguments))];
    case 'custom_tool_call':
      return [toolCall(item, names, customArguments(item.input))];
    case 'compaction_trigger':
      throw refuseCompaction('compaction_trigger');
    default:
      return convertOtherCall(item);
  }
}

function toolCall(item: JsonObject, names: ToolNames, argumentsText: string): AssistantPart {
  const namespace = filledOrNull(item.namespace);
  const name = names.join({ name: textOrEmpty(item.name), namespace });
  return { type: 'tool-call', id: textOrEmpty(item.call_id), name, argumentsText };
}

/** `local_shell_call` and similar: a call with an output to follow, under the name of its kind. */
function convertOtherCall(item: JsonObject): readonly AssistantPart[] {
  const name = CALL.exec(textOrEmpty(item.type))?.[1];
  if (name === undefined || typeof item.call_id !== 'string') return [];
  const input = item.action ?? item.operation ?? item.arguments ?? {};
  const argumentsText = typeof input === 'string' ? input : stringifyExactJson(input);
  return [{ type: 'tool-call', id: item.call_id, name, argumentsText }];
}

function convertReasoning(item: JsonObject): ReasoningPart {
  const shown = [item.summary, item.content].flatMap((parts) => (Array.isArray(parts) ? parts : []));
  const text = shown.map((part) => (isJsonObject(part) ? textOrEmpty(part.text) : '')).join('\n\n');
  const encrypted = textOrNothing(item.encrypted_content);
  const proof = encrypted === undefined ? null : unsealReasoning(encrypted);
  if (proof !== null) {
    const { signature, redactedData } = proof;
    // A text that is sealed without a proof was not sealed here, and no reviewer has seen it.
    return { type: 'reasoning', text: (isProof(proof) ? proof.text : undefined) ?? text, signature, redactedData };
  }
  const itemId = textOrNothing(item.id);
  return { type: 'reasoning', text, itemId, encryptedContent: encrypted };
}

function convertOutput(item: JsonObject, callId: string): ToolResultPart {
  const output = item.type === 'tool_search_output' ? TOOLS_FOUND : item.output;
  const parts = typeof output === 'string' || Array.isArray(output) ? convertBlocks(output) : [plainJson(output)];
  return { type: 'tool-result', callId, content: parts.filter(isResultContent), isError: false };
}

function plainJson(value: unknown): TextPart {
  return { type: 'text', text: stringifyExactJson(value ?? null) };
}

function convertBlocks(content: unknown): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return Array.isArray(content) ? content.flatMap(convertBlock) : [];
}

function convertBlock(block: unknown): readonly ContentPart[] {
  if (!isJsonObject(block)) return [];
  switch (block.type) {
    case 'input_text':
    case 'output_text':
      return [{ type: 'text', text: textOrEmpty(block.text) }];
    case 'refusal':
      return [{ type: 'text', text: textOrEmpty(block.refusal) }];
    case 'input_image': {
      const source = readMediaSource(textOrEmpty(block.image_url));
      const detail = textOrNothing(block.detail);
      return source === null ? [] : [{ type: 'image', source, detail }];
    }
    case 'input_file': {
      const source = readMediaSource(textOrEmpty(block.file_data));
      const filename = textOrNothing(block.filename);
      return source === null ? [] : [{ type: 'file', source, filename }];
    }
    case 'input_audio': {
      const audio = objectOrEmpty(block.input_audio);
      return [{ type: 'audio', data: textOrEmpty(audio.data), format: textOrEmpty(audio.format) }];
    }
    default:
      // A shell's output has blocks of its own kind.
      return [plainJson(block)];
  }
}
