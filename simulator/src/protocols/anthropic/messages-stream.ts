// The events of a streamed message in the order of the real API. Each content block is opened, filled and closed in
// turn, and the first one is followed by a ping.

import type { Frame, FrameKind } from '../../answer.ts';
import { splitWords } from '../../content/text.ts';
import type { JsonObject } from '../../json.ts';
import {
  deltaUsage,
  type MessageReply,
  messageEnvelope,
  stopReason,
  thinkingBlock,
  toolUseId,
  wholeUsage,
} from './message-reply.ts';
import { anthropicProtocol } from './protocol.ts';

type Block = Readonly<{ opening: JsonObject; deltas: readonly JsonObject[]; kind: FrameKind }>;

const frame = (kind: FrameKind, type: string, rest: JsonObject): Frame => ({
  kind,
  event: type,
  data: JSON.stringify({ type, ...rest }),
});

function thinkingBlocks(message: MessageReply): readonly Block[] {
  const block = thinkingBlock(message);
  if (block === undefined) return [];
  if (block.type === 'redacted_thinking') return [{ kind: 'structure', opening: block, deltas: [] }];
  const thoughts = splitWords(message.reply.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking }));
  const deltas = [...thoughts, { type: 'signature_delta', signature: block.signature }];
  return [{ kind: 'structure', opening: { type: 'thinking', thinking: '', signature: '' }, deltas }];
}

function blocksOf(message: MessageReply): readonly Block[] {
  const { reply } = message;
  const text: Block = {
    kind: 'content',
    opening: { type: 'text', text: '' },
    deltas: reply.pieces.map((piece) => ({ type: 'text_delta', text: piece })),
  };
  const calls = reply.calls.map(
    (call, index): Block => ({
      kind: 'content',
      opening: { type: 'tool_use', id: toolUseId(index, message.id), name: call.name, input: {} },
      deltas: ['', ...splitWords(call.inputJson)].map((part) => ({ type: 'input_json_delta', partial_json: part })),
    }),
  );
  return [...thinkingBlocks(message), ...(calls.length > 0 ? calls : [text])];
}

function messageDelta(message: MessageReply, isLast: boolean, share = 1): Frame {
  const { reply } = message;
  const delta = {
    stop_reason: isLast ? stopReason(reply) : null,
    stop_sequence: isLast ? (reply.stopSequence ?? null) : null,
  };
  return frame(isLast ? 'finish-usage' : 'structure', 'message_delta', { delta, usage: deltaUsage(message, share) });
}

function startFrame(message: MessageReply): Frame {
  const firstTokens = Math.min(message.reply.completionTokens, 1);
  const start = {
    ...messageEnvelope(message),
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: wholeUsage(message, firstTokens),
  };
  return frame('structure', 'message_start', { message: start });
}

function blockFrames(message: MessageReply): readonly Frame[] {
  const blocks = blocksOf(message);
  const isCounting = message.commands.usage === 'every-chunk';
  const contentCount = blocks.reduce((sum, block) => sum + (block.kind === 'content' ? block.deltas.length : 0), 0);
  const frames: Frame[] = [];
  let contentSent = 0;
  for (const [index, { opening, deltas, kind }] of blocks.entries()) {
    frames.push(frame('structure', 'content_block_start', { index, content_block: opening }));
    if (index === 0) frames.push(frame('structure', 'ping', {}));
    for (const delta of deltas) {
      frames.push(frame(kind, 'content_block_delta', { index, delta }));
      if (kind !== 'content') continue;
      contentSent += 1;
      if (isCounting) frames.push(messageDelta(message, false, contentSent / contentCount));
    }
    frames.push(frame('structure', 'content_block_stop', { index }));
  }
  return frames;
}

export function messageFrames(message: MessageReply): readonly Frame[] {
  const frames = [startFrame(message), ...blockFrames(message)];
  if (message.commands.finish === 'error') return [...frames, anthropicProtocol.errorFrame()];
  const last = messageDelta(message, true);
  const lasts = message.commands.usage === 'twice' ? [last, last] : [last];
  return [...frames, ...lasts, frame('end', 'message_stop', {})];
}
