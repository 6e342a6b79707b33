// POST /completions, the old form: a prompt is continued with what a chat would answer to it. With a suffix the text
// says so, so that a test sees that the suffix has arrived.

import { type Answer, type Frame, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { type JsonObject, numberAt, stringAt } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { type ChatReply, finishReason, usageRecord } from './chat-reply.ts';
import { readChatTurn } from './chat-turn.ts';
import { openaiProtocol } from './protocol.ts';

function replyOf({ body, commands, sequence, createdAtSeconds }: Call): ChatReply {
  const prompt = stringAt(body, 'prompt') ?? '';
  const suffix = stringAt(body, 'suffix');
  const content = suffix === undefined ? prompt : `${prompt} before ${suffix}`;
  return {
    id: `cmpl-TollgateSimulator${sequence}`,
    createdAtSeconds,
    model: stringAt(body, 'model') ?? '',
    choiceCount: numberAt(body, 'n') ?? 1,
    reply: planReply(readChatTurn({ ...body, messages: [{ role: 'user', content }] }), commands),
    images: [],
    alternatives: undefined,
    commands,
  };
}

const envelopeOf = ({ id, createdAtSeconds, model }: ChatReply): JsonObject => ({
  id,
  object: 'text_completion',
  created: createdAtSeconds,
  model,
});

function framesOf(chat: ChatReply): readonly Frame[] {
  const frame = (kind: Frame['kind'], more: JsonObject): Frame => ({
    kind,
    data: JSON.stringify({ ...envelopeOf(chat), ...more }),
  });
  const choice = (text: string, finish: string | null) => ({
    choices: [{ text, index: 0, logprobs: null, finish_reason: finish }],
  });
  return [
    ...chat.reply.pieces.map((piece) => frame('content', choice(piece, null))),
    frame('finish', choice('', finishReason(chat.reply))),
    frame('usage', { choices: [], usage: usageRecord(chat) }),
    { kind: 'end', data: '[DONE]' },
  ];
}

function answerCompletion(call: Call): Answer {
  const { body } = call;
  if (stringAt(body, 'prompt') === undefined) return openaiProtocol.error(400, "'prompt' must be a string.");
  const chat = replyOf(call);
  if (body.stream === true) {
    return { kind: 'stream', headers: { 'content-type': 'text/event-stream; charset=utf-8' }, frames: framesOf(chat) };
  }
  const logprobs = body.logprobs === undefined ? null : { tokens: [], token_logprobs: [] };
  const text = (body.echo === true ? (stringAt(body, 'prompt') ?? '') : '') + chat.reply.text;
  return jsonAnswer(200, {
    ...envelopeOf(chat),
    choices: Array.from({ length: chat.choiceCount }, (_, index) => ({
      text,
      index,
      logprobs,
      finish_reason: finishReason(chat.reply),
    })),
    usage: usageRecord(chat),
  });
}

export const completionsOperation: Operation = {
  method: 'POST',
  path: '/completions',
  protocol: openaiProtocol,
  answer: answerCompletion,
};
