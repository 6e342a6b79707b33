// POST /v2/chat, whole and streamed. Requests resemble chat completions; answers do not: content is a list, usage
// states what was billed beside what was read, and the last event of a stream has the reason and the usage together.

import { type Answer, type Frame, type FrameKind, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { splitWords } from '../../content/text.ts';
import type { Reply } from '../../content/turn.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import { type JsonObject, objectAt, objectsIn } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { readChatTurn } from '../openai/chat-turn.ts';
import { cohereProtocol } from './protocol.ts';

const FINISH_REASONS: Readonly<Record<Reply['finish'], string>> = {
  stop: 'COMPLETE',
  'stop-sequence': 'STOP_SEQUENCE',
  length: 'MAX_TOKENS',
  calls: 'TOOL_CALL',
  filtered: 'ERROR_TOXIC',
  error: 'ERROR',
};
/** What the vendor's template adds to what is billed. */
const TEMPLATE_TOKENS = 70;

type Told = Readonly<{ call: Call; reply: Reply }>;

function usageOf({ call, reply }: Told): unknown {
  const usage = {
    billed_units: { input_tokens: reply.promptTokens, output_tokens: reply.completionTokens },
    tokens: { input_tokens: reply.promptTokens + TEMPLATE_TOKENS, output_tokens: reply.completionTokens },
  };
  return bendUsage(usage, call.commands.usage);
}

/** A schema is beside the type here, and not in a member of its own. */
function asChat(body: JsonObject): JsonObject {
  const schema = objectAt(objectAt(body, 'response_format') ?? {}, 'json_schema');
  if (schema === undefined) return body;
  return { ...body, response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } };
}

function callsOf({ call, reply }: Told): readonly JsonObject[] {
  return reply.calls.map(({ name, inputJson }, index) => ({
    id: `${name}_${index}${call.sequence}`,
    type: 'function',
    function: { name, arguments: inputJson },
  }));
}

function whole(told: Told): JsonObject {
  const { call, reply } = told;
  const thinking = reply.reasoning === '' ? [] : [{ type: 'thinking', thinking: reply.reasoning }];
  const message =
    reply.calls.length > 0
      ? { role: 'assistant', tool_plan: 'I will call a tool.', tool_calls: callsOf(told) }
      : { role: 'assistant', content: [...thinking, { type: 'text', text: reply.text }] };
  return { id: `sim-${call.sequence}`, message, finish_reason: FINISH_REASONS[reply.finish], usage: usageOf(told) };
}

function event(kind: FrameKind, type: string, more: JsonObject): Frame {
  return { kind, event: type, data: JSON.stringify({ type, ...more }) };
}

function blockFrames(index: number, type: 'text' | 'thinking', pieces: readonly string[]): readonly Frame[] {
  const delta = (content: JsonObject) => ({ index, delta: { message: { content } } });
  const kind = type === 'text' ? 'content' : 'structure';
  return [
    event('structure', 'content-start', delta({ type, [type]: '' })),
    ...pieces.map((piece) => event(kind, 'content-delta', delta({ [type]: piece }))),
    event('structure', 'content-end', { index }),
  ];
}

function callFrames(told: Told): readonly Frame[] {
  return callsOf(told).flatMap((call, index) => {
    const { arguments: text, name } = call.function as { arguments: string; name: string };
    const start = { ...call, function: { name, arguments: '' } };
    return [
      event('structure', 'tool-call-start', { index, delta: { message: { tool_calls: start } } }),
      ...splitWords(text).map((piece) =>
        event('content', 'tool-call-delta', {
          index,
          delta: { message: { tool_calls: { function: { arguments: piece } } } },
        }),
      ),
      event('structure', 'tool-call-end', { index }),
    ];
  });
}

function framesOf(told: Told): readonly Frame[] {
  const { call, reply } = told;
  const start = event('structure', 'message-start', {
    id: `sim-${call.sequence}`,
    delta: { message: { role: 'assistant', content: [], tool_plan: '', tool_calls: [], citations: [] } },
  });
  const thinking = reply.reasoning === '' ? [] : blockFrames(0, 'thinking', splitWords(reply.reasoning));
  const spoken = reply.calls.length > 0 ? callFrames(told) : blockFrames(1, 'text', reply.pieces);
  const delta = { finish_reason: FINISH_REASONS[reply.finish], usage: usageOf(told) };
  const isFailed = call.commands.finish === 'error';
  return [
    start,
    ...thinking,
    ...spoken,
    isFailed ? cohereProtocol.errorFrame() : event('finish-usage', 'message-end', { delta }),
  ];
}

function answerChat(call: Call): Answer {
  if (objectsIn(call.body.messages).length === 0) return cohereProtocol.error(400, 'messages must not be empty');
  const told = { call, reply: planReply(readChatTurn(asChat(call.body)), call.commands) };
  if (call.body.stream !== true) return jsonAnswer(200, whole(told));
  return { kind: 'stream', headers: { 'content-type': 'text/event-stream' }, frames: framesOf(told) };
}

export const cohereChatOperation: Operation = {
  method: 'POST',
  path: '/v2/chat',
  protocol: cohereProtocol,
  answer: answerChat,
};
