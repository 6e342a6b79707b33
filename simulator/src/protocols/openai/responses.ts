// POST /responses, whole and streamed, in the exact shape of the real API. Nothing is stored, whatever the request
// says.

import { type Answer, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { objectsIn, stringAt } from '../../json.ts';
import type { Call, Operation, Protocol } from '../../operation.ts';
import { openaiProtocol } from './protocol.ts';
import { findResponsesMistake } from './responses-mistake.ts';
import { finishedResponse, type ResponseReply } from './responses-reply.ts';
import { sealReasoning } from './responses-seal.ts';
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

/** What the user said stays, and one sealed item stands for the rest. */
function answerCompaction(call: Call): Answer {
  const { body, commands } = call;
  const mistake = ['store', 'stream', 'max_output_tokens'].find((name) => body[name] !== undefined);
  if (mistake !== undefined) return responsesProtocol.error(400, `Unknown parameter: '${mistake}'.`);
  const reply = planReply(readResponsesTurn(body), commands);
  const response: ResponseReply = {
    sequence: call.sequence,
    createdAtSeconds: call.createdAtSeconds,
    model: stringAt(body, 'model') ?? '',
    body,
    reply,
    commands,
  };
  const { id, created_at, usage } = finishedResponse(response);
  const said = objectsIn(body.input)
    .filter(({ role }) => role === 'user')
    .map((message, index) => ({
      ...message,
      id: `msg_${index}${call.sequence}`,
      type: 'message',
      status: 'completed',
    }));
  const summary = { id: `cmp_${call.sequence}`, type: 'compaction', encrypted_content: sealReasoning(reply.text) };
  return jsonAnswer(200, { id, object: 'response.compaction', created_at, output: [...said, summary], usage });
}

export const compactOperation: Operation = {
  method: 'POST',
  path: '/responses/compact',
  protocol: responsesProtocol,
  answer: answerCompaction,
};

export const responsesOperation: Operation = {
  method: 'POST',
  path: '/responses',
  protocol: responsesProtocol,
  answer: answerResponse,
};
