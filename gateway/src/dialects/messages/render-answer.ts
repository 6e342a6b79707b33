// A whole answer of an upstream of another format. Arguments of tool calls are text there and an object here: they are
// inserted as they were written, so that no number in them changes.

import type { Answer, AnswerPart, FinishReason } from '../../canonical/answer.ts';
import type { Citation, ReasoningPart, TextPart } from '../../canonical/conversation.ts';
import type { ShownImage } from '../../canonical/images.ts';
import type { JsonObject } from '../../canonical/json.ts';
import { isJsonObject } from '../../canonical/json.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import type { Bill } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { renderMessagesUsage } from './render-usage.ts';
import { sealReasoning } from './sealed-reasoning.ts';

export function renderMessagesAnswer(answer: Answer, context: RenderContext, bill: Bill): string {
  const hasToolCalls = answer.parts.some((part) => part.type === 'tool-call');
  const blocks = [...answer.parts.flatMap(renderPart), ...(answer.shown ?? []).map(renderPicture)];
  // Clients read the first block without checking whether there is one.
  if (blocks.length === 0) blocks.push(JSON.stringify({ type: 'text', text: '' }));
  const head = JSON.stringify({ id: context.id, type: 'message', role: 'assistant', model: context.modelId });
  const { finishReason: reason, nativeFinishReason: native, stopSequence, own } = answer;
  const tail = stringifyExactJson({
    ...own,
    stop_reason: stopReasonOf({ reason, native, stopSequence, hasToolCalls }),
    stop_sequence: stopSequence,
    usage: renderMessagesUsage(bill.usage, bill.costUsd),
  });
  return `${head.slice(0, -1)},"content":[${blocks.join(',')}],${tail.slice(1)}`;
}

function renderPart(part: AnswerPart): readonly string[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [JSON.stringify(renderText(part))];
    case 'tool-call': {
      const head = stringifyExactJson({ type: 'tool_use', id: part.id, name: part.name, ...part.own });
      return [`${head.slice(0, -1)},"input":${toolInputText(part.argumentsText)}}`];
    }
    case 'reasoning':
      return renderReasoning(part).map((block) => JSON.stringify(block));
    case 'block':
      return [stringifyExactJson(part.block)];
  }
}

/** The format has a block for pictures that are sent; clients find a picture that was made in the same. */
function renderPicture({ bytes, mediaType }: ShownImage): string {
  return JSON.stringify(pictureBlock(bytes ?? NO_BYTES, mediaType));
}

const NO_BYTES = Buffer.alloc(0);

export function pictureBlock(bytes: Buffer, mediaType: string): object {
  return { type: 'image', source: { type: 'base64', media_type: mediaType, data: bytes.toString('base64') } };
}

function renderText({ text, citations }: TextPart): object {
  if (citations === undefined) return { type: 'text', text };
  return { type: 'text', text, citations: citations.map(renderMessagesCitation) };
}

function renderReasoning(part: ReasoningPart): readonly object[] {
  const blocks: object[] = [];
  const isOpaque = part.signature !== undefined || part.encryptedContent !== undefined;
  if (part.text !== '' || isOpaque) {
    blocks.push({ type: 'thinking', thinking: part.text, signature: part.signature ?? sealReasoning(part) });
  }
  if (part.redactedData !== undefined) blocks.push({ type: 'redacted_thinking', data: part.redactedData });
  return blocks;
}

// The arguments a model wrote for a tool, as the JSON text of an object. Models sometimes write text that is none, and
// this dialect has no other place for it than an object with a name that says so.

function toolInputText(argumentsText: string): string {
  if (argumentsText.trim() === '') return '{}';
  return isObjectText(argumentsText) ? argumentsText : JSON.stringify({ INVALID_JSON: argumentsText });
}

function isObjectText(text: string): boolean {
  try {
    return isJsonObject(JSON.parse(text));
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

// Why a model stopped, in this dialect's words.

type StopFacts = Readonly<{
  reason: FinishReason;
  native: string | null;
  stopSequence: string | null;
  hasToolCalls: boolean;
}>;

/**
 * Said only by upstreams of this format: the answer is to be sent back and will go on, or there was no more room. The
 * words of others would say less.
 */
const OWN_REASONS: ReadonlySet<string> = new Set(['pause_turn', 'compaction', 'model_context_window_exceeded']);

export function stopReasonOf(facts: StopFacts): string {
  if (facts.native !== null && OWN_REASONS.has(facts.native)) return facts.native;
  switch (facts.reason) {
    case 'length':
      return 'max_tokens';
    case 'tool_calls':
      return 'tool_use';
    case 'content_filter':
      return 'refusal';
    default:
      // Some upstreams say they just stopped when a forced tool call was all they had to do.
      if (facts.hasToolCalls) return 'tool_use';
      return facts.stopSequence === null ? 'end_turn' : 'stop_sequence';
  }
}

// A source as this dialect knows it: a result of a search of the web, or a place in a document.

export function renderMessagesCitation(citation: Citation): JsonObject {
  const { url, title, citedText, documentIndex, place, block } = citation;
  if (block !== undefined) return block;
  const cited = citedText ?? '';
  if (url !== null) {
    return { type: 'web_search_result_location', url, title, cited_text: cited, encrypted_index: '' };
  }
  const document = { cited_text: cited, document_index: documentIndex ?? 0, document_title: title, file_id: null };
  const { unit, start, end } = place ?? { unit: 'character', start: 0, end: cited.length };
  switch (unit) {
    case 'character':
      return { type: 'char_location', ...document, start_char_index: start, end_char_index: end };
    case 'page':
      return { type: 'page_location', ...document, start_page_number: start, end_page_number: end };
    case 'block':
      return { type: 'content_block_location', ...document, start_block_index: start, end_block_index: end };
  }
}
