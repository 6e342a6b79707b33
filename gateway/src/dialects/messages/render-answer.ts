// A whole answer of an upstream that speaks another format. Arguments of tool calls are text there and an object here:
// they are put into the answer as they were written, so that no number in them changes.

import type { Answer } from '../../canonical/answer.ts';
import type { AssistantPart, ReasoningPart, TextPart } from '../../canonical/conversation.ts';
import type { ShownImage } from '../../canonical/images.ts';
import type { Bill } from '../dialect.ts';
import type { RenderContext } from '../stream-pipe.ts';
import { renderMessagesCitation } from './render-citation.ts';
import { renderMessagesUsage } from './render-usage.ts';
import { sealReasoning } from './sealed-reasoning.ts';
import { stopReasonOf } from './stop-reason.ts';
import { toolInputText } from './tool-input.ts';

export function renderMessagesAnswer(answer: Answer, context: RenderContext, bill: Bill): string {
  const hasToolCalls = answer.parts.some((part) => part.type === 'tool-call');
  const blocks = [...answer.parts.flatMap(renderPart), ...(answer.shown ?? []).map(renderPicture)];
  // Clients read the first block without asking whether there is one.
  if (blocks.length === 0) blocks.push(JSON.stringify({ type: 'text', text: '' }));
  const head = JSON.stringify({ id: context.id, type: 'message', role: 'assistant', model: context.modelId });
  const tail = JSON.stringify({
    stop_reason: stopReasonOf({ reason: answer.finishReason, stopSequence: answer.stopSequence, hasToolCalls }),
    stop_sequence: answer.stopSequence,
    usage: renderMessagesUsage(bill.usage, bill.costUsd),
  });
  return `${head.slice(0, -1)},"content":[${blocks.join(',')}],${tail.slice(1)}`;
}

function renderPart(part: AssistantPart): readonly string[] {
  switch (part.type) {
    case 'text':
      return part.text === '' ? [] : [JSON.stringify(renderText(part))];
    case 'tool-call': {
      const head = JSON.stringify({ type: 'tool_use', id: part.id, name: part.name });
      return [`${head.slice(0, -1)},"input":${toolInputText(part.argumentsText)}}`];
    }
    case 'reasoning':
      return renderReasoning(part).map((block) => JSON.stringify(block));
  }
}

/** The format has a block for pictures that are sent; clients that look for one that was made find it in the same. */
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
