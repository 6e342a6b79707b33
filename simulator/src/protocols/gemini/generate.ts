// POST /models/<model>:generateContent and :streamGenerateContent, and the same below a project. Thinking is counted
// beside the answer in this protocol, and every frame of a stream repeats the counts so far.

import { type Answer, type Frame, type FrameKind, jsonAnswer } from '../../answer.ts';
import { planReply } from '../../content/reply.ts';
import { splitWords } from '../../content/text.ts';
import type { Reply } from '../../content/turn.ts';
import { bendUsage } from '../../content/usage-fault.ts';
import type { JsonObject } from '../../json.ts';
import type { Call, Operation } from '../../operation.ts';
import { answerEmbed } from './embed.ts';
import { findGenerateMistake, readGenerateTurn } from './generate-turn.ts';
import { answerPredict } from './predict.ts';
import { geminiProtocol } from './protocol.ts';
import { signCall } from './signature.ts';

const FINISH_REASONS: Readonly<Record<Reply['finish'], string>> = {
  stop: 'STOP',
  'stop-sequence': 'STOP',
  length: 'MAX_TOKENS',
  calls: 'STOP',
  filtered: 'SAFETY',
  error: 'OTHER',
};
const NONE = {};
const MODEL_AND_VERB = /^(.+):(generateContent|streamGenerateContent|predict|embedContent|batchEmbedContents)$/;

type Told = Readonly<{ call: Call; model: string; reply: Reply }>;

function usageOf({ call: { commands }, reply }: Told, share = 1): unknown {
  const spoken = Math.ceil((reply.completionTokens - reply.reasoningTokens) * share);
  const usage = {
    promptTokenCount: reply.promptTokens,
    candidatesTokenCount: spoken,
    ...(reply.reasoningTokens > 0 ? { thoughtsTokenCount: reply.reasoningTokens } : NONE),
    ...(commands.cachedTokens === undefined ? NONE : { cachedContentTokenCount: commands.cachedTokens }),
    totalTokenCount: reply.promptTokens + spoken + reply.reasoningTokens,
  };
  return bendUsage(usage, commands.usage);
}

function callParts({ reply }: Told): readonly JsonObject[] {
  // Of several calls only the first is signed.
  return reply.calls.map(({ name, input }, index) => ({
    functionCall: { name, args: input },
    ...(index === 0 ? { thoughtSignature: signCall(name) } : NONE),
  }));
}

function piece(told: Told, parts: readonly JsonObject[], isLast: boolean): JsonObject {
  const { call, model, reply } = told;
  return {
    candidates: [
      {
        content: { role: 'model', parts },
        ...(isLast ? { finishReason: FINISH_REASONS[reply.finish] } : NONE),
        index: 0,
      },
    ],
    usageMetadata: usageOf(told),
    modelVersion: call.commands.isOtherModel ? `${model}-001` : model,
    responseId: `sim${call.sequence}`,
  };
}

const thought = (text: string): JsonObject => ({ text, thought: true });

function whole(told: Told): JsonObject {
  const { reply } = told;
  const thoughts = reply.reasoning === '' ? [] : [thought(reply.reasoning)];
  const spoken = reply.calls.length > 0 ? callParts(told) : [{ text: reply.text }];
  return piece(told, [...thoughts, ...spoken], true);
}

function framesOf(told: Told): readonly Frame[] {
  const { reply, call } = told;
  const frame = (kind: FrameKind, parts: readonly JsonObject[], isLast = false): Frame => ({
    kind,
    data: JSON.stringify(piece(told, parts, isLast)),
  });
  const thoughts = splitWords(reply.reasoning).map((text) => frame('structure', [thought(text)]));
  const spoken =
    reply.calls.length > 0
      ? callParts(told).map((part) => frame('content', [part]))
      : reply.pieces.map((text) => frame('content', [{ text }]));
  const last =
    call.commands.finish === 'error' ? geminiProtocol.errorFrame() : frame('finish-usage', [{ text: '' }], true);
  return [...thoughts, ...spoken, last];
}

function answerGenerate(call: Call): Answer {
  const [, model = '', verb] = MODEL_AND_VERB.exec(decodeURIComponent(call.params.target ?? '')) ?? [];
  if (verb === undefined) return geminiProtocol.error(404, 'The requested URL was not found on this server.');
  if (verb === 'predict') return answerPredict(call);
  if (/mbedContents?$/.test(verb)) return answerEmbed(call, verb.startsWith('batch'));
  const mistake = findGenerateMistake(call.body);
  if (mistake !== undefined) return geminiProtocol.error(400, mistake);
  const told = { call, model, reply: planReply(readGenerateTurn(call.body), call.commands) };
  if (verb === 'generateContent') return jsonAnswer(200, whole(told));
  return { kind: 'stream', headers: { 'content-type': 'text/event-stream' }, frames: framesOf(told) };
}

const operationAt = (path: string): Operation => ({
  method: 'POST',
  path,
  protocol: geminiProtocol,
  modelIn: ({ target = '' }) => decodeURIComponent(target).split(':', 1)[0] ?? '',
  answer: answerGenerate,
});

export const geminiOperations: readonly Operation[] = [
  operationAt('/models/:target'),
  operationAt('/projects/:project/locations/:location/publishers/google/models/:target'),
];
