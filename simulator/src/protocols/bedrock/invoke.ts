// POST /model/<model>/invoke and /invoke-with-response-stream with bodies of Anthropic's format. Each event of a stream
// is packed into a binary message, and the last one has a member of the service.

import type { Answer, Frame } from '../../answer.ts';
import type { JsonObject } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import type { AnswerMessage } from '../anthropic/messages.ts';
import { bedrockProtocol, packedFrame } from './protocol.ts';

const METRICS = { inputTokenCount: 0, outputTokenCount: 0, invocationLatency: 1, firstByteLatency: 1 };

function packedEvent({ kind, data }: Frame): Frame {
  const event = kind === 'end' ? withMetrics(data) : data;
  return packedFrame(kind, 'chunk', { bytes: Buffer.from(event).toString('base64') });
}

const withMetrics = (data: string): string =>
  JSON.stringify({ ...(JSON.parse(data) as JsonObject), 'amazon-bedrock-invocationMetrics': METRICS });

function mistakeIn({ model, stream, anthropic_version: version }: JsonObject): string | undefined {
  if (typeof version !== 'string') return 'required key [anthropic_version] not found';
  if (model !== undefined) return 'model: Extra inputs are not permitted';
  return stream === undefined ? undefined : 'stream: Extra inputs are not permitted';
}

function answerInvoke(call: Call, isStream: boolean, answerMessage: AnswerMessage): Answer {
  const mistake = mistakeIn(call.body);
  if (mistake !== undefined) return bedrockProtocol.error(400, `Malformed input request: ${mistake}`);
  const model = decodeURIComponent(call.params.model ?? '');
  const answer = answerMessage({ ...call, body: { ...call.body, model, stream: isStream } });
  if (answer.kind === 'whole') {
    // The service words refusals of the format itself.
    return answer.status === 200 ? answer : bedrockProtocol.error(answer.status, answer.body.toString());
  }
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  const frames =
    call.commands.finish === 'error'
      ? [...answer.frames.slice(0, -1).map(packedEvent), bedrockProtocol.errorFrame()]
      : answer.frames.map(packedEvent);
  return { kind: 'stream', headers, frames, isStateful: true };
}

export function createInvokeOperations(answerMessage: AnswerMessage): readonly Operation[] {
  const operationOf = (verb: string, isStream: boolean): Operation => ({
    method: 'POST',
    path: `/model/:model/${verb}`,
    protocol: bedrockProtocol,
    modelIn: ({ model = '' }) => decodeURIComponent(model),
    answer: (call) => answerInvoke(call, isStream, answerMessage),
  });
  return [operationOf('invoke', false), operationOf('invoke-with-response-stream', true)];
}
