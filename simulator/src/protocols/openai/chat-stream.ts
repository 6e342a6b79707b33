// The frames of a streamed chat completion, in the order of the real API: role, content, finish, usage in a frame of
// its own when it was asked for, `[DONE]`. Frames are built as text, because a benchmark asks for millions.

import type { Frame } from '../../answer.ts';
import { splitWords } from '../../content/text.ts';
import type { JsonObject } from '../../json.ts';
import {
  type ChatReply,
  finishReason,
  reasoningFields,
  SYSTEM_FINGERPRINT,
  toolCallJson,
  usageRecord,
} from './chat-reply.ts';
import { logprobsOf } from './logprobs.ts';

type Delta = Readonly<{ index: number; delta: JsonObject; logprobs?: JsonObject | null; finish?: string }>;

/** Which frames have usage, by the request and the command. */
type UsagePlacement = Readonly<{ hasKey: boolean; isOnFinish: boolean; lastFrames: number; isInEveryChunk: boolean }>;

function placeUsage(chat: ChatReply, isUsageRequested: boolean): UsagePlacement {
  const { usage } = chat.commands;
  const isOnFinish = usage === 'on-finish';
  const isWanted = (isUsageRequested || usage === 'always' || usage === 'twice') && usage !== 'none' && !isOnFinish;
  return {
    hasKey: isUsageRequested && usage !== 'none',
    isOnFinish,
    lastFrames: isWanted ? (usage === 'twice' ? 2 : 1) : 0,
    isInEveryChunk: usage === 'every-chunk',
  };
}

function startDeltas(chat: ChatReply, index: number): readonly Delta[] {
  const { reply } = chat;
  const content = reply.calls.length > 0 ? null : '';
  const first = { index, delta: { role: 'assistant', content, refusal: null } };
  const reasoning = splitWords(reply.reasoning).map((piece) => ({
    index,
    delta: reasoningFields(piece, chat.commands),
  }));
  return [first, ...reasoning];
}

function callDeltas(chat: ChatReply, index: number): readonly Delta[] {
  return chat.reply.calls.flatMap((call, callIndex) => {
    const { id, type } = toolCallJson(call, callIndex, chat.id);
    const opening = { index: callIndex, id, type, function: { name: call.name, arguments: '' } };
    const parts = splitWords(call.inputJson).map((part) => ({ index: callIndex, function: { arguments: part } }));
    return [opening, ...parts].map((part) => ({ index, delta: { tool_calls: [part] } }));
  });
}

function contentDeltas(chat: ChatReply, index: number): readonly Delta[] {
  const words = chat.reply.pieces.map((content) => ({
    index,
    delta: { content },
    ...(chat.alternatives !== undefined && { logprobs: logprobsOf([content], chat.alternatives) }),
  }));
  const pictures = chat.images.map((image) => ({ index, delta: { content: '', images: [image] } }));
  return [...words, ...pictures, ...callDeltas(chat, index)];
}

/** Deltas of several choices arrive in turns, as when choices are sampled in parallel. */
function interleave(lists: readonly (readonly Delta[])[]): readonly Delta[] {
  const longest = Math.max(...lists.map((list) => list.length));
  const woven: Delta[] = [];
  for (let position = 0; position < longest; position += 1) {
    for (const list of lists) {
      const delta = list[position];
      if (delta !== undefined) woven.push(delta);
    }
  }
  return woven;
}

export function chatFrames(chat: ChatReply, isUsageRequested: boolean): readonly Frame[] {
  const placement = placeUsage(chat, isUsageRequested);
  const provider = chat.commands.provider === undefined ? '' : `"provider":${JSON.stringify(chat.commands.provider)},`;
  const head =
    `{"id":"${chat.id}",${provider}"object":"chat.completion.chunk","created":${chat.createdAtSeconds},` +
    `"model":${JSON.stringify(chat.model)},"service_tier":"default","system_fingerprint":"${SYSTEM_FINGERPRINT}","choices":[`;
  const noUsage = placement.hasKey ? '],"usage":null}' : ']}';
  const withUsage = (share: number): string => `],"usage":${JSON.stringify(usageRecord(chat, share))}}`;

  const choice = ({ index, delta, logprobs, finish }: Delta): string =>
    `{"index":${index},"delta":${JSON.stringify(delta)},"logprobs":${JSON.stringify(logprobs ?? null)},"finish_reason":${JSON.stringify(finish ?? null)}}`;
  const indexes = Array.from({ length: chat.choiceCount }, (_, index) => index);
  const contents = interleave(indexes.map((index) => contentDeltas(chat, index)));
  const contentTail = (position: number): string =>
    placement.isInEveryChunk ? withUsage((position + 1) / contents.length) : noUsage;
  const finish = finishReason(chat.reply);
  const finishTail = placement.isOnFinish ? withUsage(1) : noUsage;

  const frames: Frame[] = interleave(indexes.map((index) => startDeltas(chat, index))).map((delta) => ({
    kind: 'structure',
    data: head + choice(delta) + noUsage,
  }));
  contents.forEach((delta, position) => {
    frames.push({ kind: 'content', data: head + choice(delta) + contentTail(position) });
  });
  for (const index of indexes) {
    const kind = placement.isOnFinish ? 'finish-usage' : 'finish';
    frames.push({ kind, data: head + choice({ index, delta: {}, finish }) + finishTail });
  }
  for (let sent = 0; sent < placement.lastFrames; sent += 1) frames.push({ kind: 'usage', data: head + withUsage(1) });
  frames.push({ kind: 'end', data: '[DONE]' });
  return frames;
}
