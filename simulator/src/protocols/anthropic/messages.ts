// POST /messages, whole and streamed. The prompt cache is the only state: the same marked prompt costs less the second
// time, which clients expect.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { type JsonObject, stringAt } from '../../json.ts';
import type { Call, Operation, Protocol } from '../../operation.ts';
import {
  type MessageReply,
  messageEnvelope,
  stopReason,
  thinkingBlock,
  toolUseId,
  wholeUsage,
} from './message-reply.ts';
import { messageFrames } from './messages-stream.ts';
import { findMessagesMistake, readMessagesTurn } from './messages-turn.ts';
import { readPromptBlocks } from './prompt-blocks.ts';
import type { PromptCache } from './prompt-cache.ts';
import { anthropicProtocol } from './protocol.ts';

function wholeMessage(message: MessageReply): JsonObject {
  const { reply } = message;
  const thinking = thinkingBlock(message);
  const calls = reply.calls.map((call, index) => ({
    type: 'tool_use',
    id: toolUseId(index, message.id),
    name: call.name,
    input: call.input,
  }));
  const content = [...(thinking === undefined ? [] : [thinking]), ...calls];
  return {
    ...messageEnvelope(message),
    content: calls.length > 0 ? content : [...content, { type: 'text', text: reply.text }],
    stop_reason: stopReason(reply),
    stop_sequence: reply.stopSequence ?? null,
    usage: wholeUsage(message),
  };
}

// Clients that expect their history on the server send all of it again after exactly this refusal.
function refuseThread(): Answer {
  const details = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };
  const error = { type: 'invalid_request_error', message: 'thread: not supported by this model', details };
  return jsonAnswer(400, { type: 'error', error });
}

function answerMessage(call: Call, cache: PromptCache): Answer {
  const { body, commands } = call;
  if (body.thread !== undefined) return refuseThread();
  const mistake = findMessagesMistake(body, true);
  if (mistake !== undefined) return anthropicProtocol.error(400, mistake);
  const blocks = readPromptBlocks(body);
  const isStateful = blocks.some((block) => block.cacheLifetime !== undefined);
  const model = stringAt(body, 'model') ?? '';
  const message: MessageReply = {
    id: `msg_01TollgateSim${call.sequence}`,
    model: commands.isOtherModel ? `${model}-20250101` : model,
    reply: planReply(readMessagesTurn(body, blocks), commands),
    cacheUse: cache.use(blocks),
    commands,
  };
  if (body.stream !== true) return { ...jsonAnswer(200, wholeMessage(message)), isStateful };
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { kind: 'stream', headers, frames: messageFrames(message), isStateful };
}

/** The same below a project, where the path has the model and the body the version. */
const PROJECT_PATH = '/projects/:project/locations/:location/publishers/anthropic/models/:target';

const projectProtocol: Protocol = {
  ...anthropicProtocol,
  refuseUnauthorized: (headers) => anthropicProtocol.refuseUnauthorized({ ...headers, 'anthropic-version': 'in body' }),
};

export type AnswerMessage = (call: Call) => Answer;

/** For every server that speaks the format. */
export function createMessageAnswerer(cache: PromptCache): AnswerMessage {
  return (call) => answerMessage(call, cache);
}

export function createMessagesOperations(answer: AnswerMessage): readonly Operation[] {
  const modelIn = ({ target = '' }: Readonly<Record<string, string>>) =>
    decodeURIComponent(target).split(':', 1)[0] ?? '';
  return [
    { method: 'POST', path: '/messages', protocol: anthropicProtocol, answer },
    {
      method: 'POST',
      path: PROJECT_PATH,
      protocol: projectProtocol,
      modelIn,
      answer: (call) => answer({ ...call, body: { ...call.body, model: modelIn(call.params) } }),
    },
  ];
}
