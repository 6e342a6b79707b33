// POST /responses, whole and streamed, in the exact shape of the real API. Nothing is stored, whatever the request
// says.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { stringAt } from '../../json.ts';
import type { Call, Operation, Protocol } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';
import { findResponsesMistake } from './responses-mistake.ts';
import { finishedResponse, type ResponseReply } from './responses-reply.ts';
import { responseFrames } from './responses-stream.ts';
import { readResponsesTurn } from './responses-turn.ts';

/** The same envelope for refusals; in a stream, an error is an event like any other. */
const responsesProtocol: Protocol = {
  ...openaiProtocol,
  errorFrame() {
    const failure = { code: 'server_error', message: 'Simulated failure inside the stream.', param: null };
    return { kind: 'finish', event: 'error', data: JSON.stringify({ type: 'error', sequence_number: 0, ...failure }) };
  },
};

function answerResponse(call: Call): Answer {
  const { body, commands } = call;
  const mistake = findResponsesMistake(body);
  if (mistake !== undefined) return responsesProtocol.error(400, mistake);
  const model = stringAt(body, 'model') ?? '';
  const response: ResponseReply = {
    sequence: call.sequence,
    createdAtSeconds: call.createdAtSeconds,
    model: commands.isOtherModel ? `${model}-2025-01-01` : model,
    body,
    reply: planReply(readResponsesTurn(body), commands),
    commands,
  };
  if (body.stream !== true) return jsonAnswer(200, finishedResponse(response));
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' };
  return { kind: 'stream', headers, frames: responseFrames(response) };
}

export const responsesOperation: Operation = {
  method: 'POST',
  path: '/responses',
  protocol: responsesProtocol,
  answer: answerResponse,
};
