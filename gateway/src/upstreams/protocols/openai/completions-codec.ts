// POST /completions, for providers that still have it. The request has the body of a chat, with the fields that only
// completions have kept apart. Whole answers keep their own form, with every choice; streams are decoded, and have one
// choice.

import { finishReasonOf, finishWordOf, isProvokedEnd } from '../../../canonical/finish-reason.ts';
import { isFilled, isJsonObject, type JsonObject, listOrEmpty, objectOrEmpty } from '../../../canonical/json.ts';
import type { Candidate } from '../../../canonical/model.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import type { ConversationRequest } from '../../../canonical/request.ts';
import { statedStatus } from '../../../canonical/stated-status.ts';
import { statesError } from '../../../canonical/states-error.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readJsonDocument } from '../../../platform/read-json-object.ts';
import { conversationCodec, type DecodedJson } from '../../conversation-codec.ts';
import type { Codec, TextCall } from '../../protocol.ts';
import { failedAnswer, malformedAnswer } from '../../read-answer.ts';
import { readUsage } from './convert-usage.ts';
import { decodeError } from './decode-error.ts';
import { createCompletionStreamDecoder } from './decode-stream.ts';

const parts = {
  encode,
  decodeJson,
  decodeError,
  readUsage,
  toAnswer,
  createStreamDecoder: createCompletionStreamDecoder,
};
const whole = conversationCodec({ format: 'completions', ...parts });
const streamed = conversationCodec({ format: 'native', ...parts });

export const completionsCodec = ({ isStream }: CanonicalRequest): Codec<'chat'> => (isStream ? streamed : whole);

const SHARED = [
  ...['temperature', 'top_p', 'top_k', 'min_p', 'stop', 'presence_penalty', 'frequency_penalty'],
  ...['repetition_penalty', 'logit_bias', 'seed', 'user', 'n'],
];

/** Members that are undefined are left out of the text. */
function encode({ body, outputTokensMax, isStream }: ConversationRequest, { upstreamModel }: Candidate): TextCall {
  const [prompt, suffix] = textsOf(body.messages);
  const { echo, logprobs } = objectOrEmpty(body.completion);
  const sent: JsonObject = {
    model: upstreamModel,
    prompt,
    suffix,
    ...Object.fromEntries(SHARED.map((name) => [name, body[name] ?? undefined])),
    max_tokens: outputTokensMax ?? undefined,
    echo: echo === true ? true : undefined,
    logprobs: logprobs ?? undefined,
    stream: isStream ? true : undefined,
    // The gateway bills by the usage record, so it always asks for one.
    stream_options: isStream ? { include_usage: true } : undefined,
  };
  return { path: '/completions', body: stringifyExactJson(sent) };
}

function textsOf(messages: unknown): readonly unknown[] {
  return Array.isArray(messages) ? messages.filter(isJsonObject).map(({ content }) => content) : [];
}

function decodeJson(body: Buffer): DecodedJson {
  const source = readJsonDocument(body);
  if (typeof source === 'string') return malformedAnswer(source);
  const { usage, error } = source.json;
  const choices = listOrEmpty(source.json.choices);
  if (statesError(error) && !choices.some(isComplete)) return failedAnswer(JSON.stringify(error), statedStatus(error));
  const isText = (choice: unknown): boolean => isJsonObject(choice) && typeof choice.text === 'string';
  if (choices.length === 0 || !choices.every(isText)) return malformedAnswer('no texts');
  // They ended with an error before they said anything, so another provider can still answer, as in a stream.
  if (!choices.some(isSomething))
    return failedAnswer(
      '-',
      null,
      choices.map(wordOf).some((word) => isProvokedEnd(word)),
      readUsage(usage),
    );
  return { kind: 'answer', source, usage: readUsage(usage), finishReason: wordOf(choices[0]) || null };
}

const isComplete = (choice: unknown): boolean =>
  isJsonObject(choice) && finishWordOf(choice.finish_reason) !== null && isFilled(choice.text);

const isSomething = (choice: unknown): boolean =>
  finishReasonOf(wordOf(choice)) !== 'error' || (isJsonObject(choice) && isFilled(choice.text));

function toAnswer({ choices, usage }: JsonObject): ReturnType<typeof whole.toAnswer> {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  const text = isJsonObject(first) && typeof first.text === 'string' ? first.text : '';
  const word = wordOf(first);
  return {
    parts: [{ type: 'text', text }],
    finishReason: finishReasonOf(word),
    nativeFinishReason: word === '' ? null : word,
    stopSequence: null,
    usage: readUsage(usage),
  };
}

function wordOf(choice: unknown): string {
  return isJsonObject(choice) && typeof choice.finish_reason === 'string' ? choice.finish_reason : '';
}
