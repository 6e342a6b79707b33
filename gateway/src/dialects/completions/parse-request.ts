// Turns the body of an old completions call into the request that the rest of the gateway works with. From here on its
// body is that of a chat: the prompt is the user's message, the suffix a second message, and what only completions have
// is kept apart for providers that have them.

import { isFilled, isJsonObject, type JsonObject } from '../../canonical/json.ts';
import type { ConversationRequest } from '../../canonical/request.ts';
import { ApiError } from '../../errors/api-error.ts';
import { parseChatRequest } from '../chat/parse-request.ts';
import { refuseField, refuseMissing } from '../refuse.ts';

/**
 * Fields with the same name in both forms. Nothing else is passed on: an unknown member has no place in the other form.
 */
const SHARED = [
  ...['model', 'models', 'provider', 'stream', 'stream_options', 'temperature', 'top_p', 'top_k', 'min_p', 'n', 'stop'],
  ...['max_tokens', 'presence_penalty', 'frequency_penalty', 'repetition_penalty', 'logit_bias', 'seed', 'user'],
];
const LOGPROBS_MAX = 5;

export function parseCompletionRequest(original: JsonObject): ConversationRequest {
  const shared = SHARED.flatMap((name) => (original[name] === undefined ? [] : [[name, original[name]]]));
  const prompt = readPrompt(original.prompt);
  const suffix = readSuffix(original.suffix);
  const echo = readEcho(original.echo);
  const logprobs = readLogprobs(original.logprobs);
  checkStream(original, logprobs);
  checkBestOf(original.best_of, original.n);
  const texts = suffix === null ? [prompt] : [prompt, suffix];
  return fromChatBody({
    ...Object.fromEntries(shared),
    messages: texts.map((content) => ({ role: 'user', content })),
    completion: { echo, logprobs, hasSuffix: suffix !== null },
  });
}

const fromChatBody = (body: JsonObject): ConversationRequest => asCompletion(parseChatRequest(body));

function asCompletion(chat: ConversationRequest): ConversationRequest {
  const nativeMember = nativeMemberOf(chat);
  const { completion } = chat.body;
  const logprobs = isJsonObject(completion) && typeof completion.logprobs === 'number' ? completion.logprobs : null;
  return {
    ...chat,
    format: 'completions',
    ...(nativeMember === null ? {} : { nativeMember }),
    logprobCount: logprobs === null ? 0 : 1 + logprobs,
    // A prompt to be continued must not be trimmed.
    transforms: [],
    source: null,
    withOutputLimit: (tokensMax) => asCompletion(chat.withOutputLimit(tokensMax)),
    withBody: fromChatBody,
    withTexts: (replace) => asCompletion(chat.withTexts(replace)),
  };
}

function nativeMemberOf({ body: { completion }, choiceCount }: ConversationRequest): string | null {
  if (choiceCount > 1) return 'n above 1';
  if (!isJsonObject(completion)) return null;
  if (completion.hasSuffix === true) return 'suffix';
  if (completion.echo === true) return 'echo';
  return completion.logprobs === null ? null : 'logprobs';
}

/** Token ids are refused, because reviewers could not read them. */
function readPrompt(value: unknown): string {
  if (value === undefined || value === null) throw refuseMissing('prompt');
  const [prompt] = Array.isArray(value) && value.length === 1 ? value : [value];
  if (isFilled(prompt)) return prompt;
  throw refuseField('prompt', 'must be a text that is not empty; several prompts are several calls');
}

function readSuffix(value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null;
  if (typeof value === 'string') return value;
  throw refuseField('suffix', 'must be a string');
}

function readEcho(value: unknown): boolean {
  if (value === undefined || value === null) return false;
  if (typeof value === 'boolean') return value;
  throw refuseField('echo', 'must be a boolean');
}

function readLogprobs(value: unknown): number | null {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= LOGPROBS_MAX) return value;
  throw refuseField('logprobs', `must be an integer from 0 to ${LOGPROBS_MAX}`);
}

function checkStream({ stream, n }: JsonObject, logprobs: number | null): void {
  if (stream !== true) return;
  if (typeof n === 'number' && n > 1) throw new ApiError('invalid_n', 'n must be 1 in a stream of completions.');
  if (logprobs !== null) throw refuseField('logprobs', 'come with whole answers only, not with streams');
}

/** More completions are made, and charged, than are shown. */
function checkBestOf(bestOf: unknown, choices: unknown): void {
  if (bestOf === undefined || bestOf === null || bestOf === (choices ?? 1)) return;
  throw new ApiError('unsupported_param', 'best_of is not supported: ask for as many with n.');
}
