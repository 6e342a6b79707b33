// Reads an upstream's refusal. Its meaning decides whether the next provider is tried; its text never reaches the
// caller, who gets our own words.

import type { IncomingHttpHeaders } from 'node:http';
import { readJsonObject } from '../../../platform/read-json-object.ts';
import { describeForLog, parseRetryAfter } from '../../failure.ts';
import type { UpstreamFailure } from '../../protocol.ts';
import * as refused from '../../refusals.ts';
import { refusesThinking } from '../anthropic/omit-thinking.ts';
import { statusOfException } from './exceptions.ts';

const SIGNS = {
  context: [
    ...['input is too long', 'prompt is too long', 'too many input tokens'],
    ...['context window', 'context length', 'context limit', 'maximum tokens'],
  ],
  policy: ['content filter', 'blocked by our content', 'usage polic'],
  outputLimit: /max_?tokens/i,
};
const MODEL_WORDS = ['model identifier is invalid', 'on-demand throughput', 'model id', 'end of its life'];
/** What the service puts before the words of a model's own server. */
const MODELS_OWN = /^the model returned the following errors: /i;
/** The account may not use this model, and its key is good for all others. */
const NO_ACCESS = /^you don.t have access to the model\b/i;
/** Some models lack stop sequences, tools or instructions; another provider of the same model may have them. */
const NO_FIELD = /^this model doesn.t support /i;
/** For cache points that the model does not take: a caller must not be able to have the key taken for a bad one. */
const NO_CACHE = /^you invoked an unsupported model or your request did not allow prompt caching\b/i;
const NO_CACHE_WORDS = 'The provider has no cache for prompts of this model. Leave out cache_control.';

export function decodeError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const json = readJsonObject(body.subarray(0, refused.ERROR_BYTES_MAX)) ?? {};
  const said = json.message ?? json.Message;
  const words = (typeof said === 'string' ? said : body.toString('utf8', 0, 1_000)).replace(MODELS_OWN, '');
  const named = headers['x-amzn-errortype'] ?? json.__type;
  const detail = describeForLog(`${status} ${typeof named === 'string' ? named : '-'} ${words}`);
  // A redirect is not followed, because it could send the signature anywhere.
  if (status < 400 || status > 599) return { kind: 'malformed', detail };
  const meaning = statusOfException(named) ?? status;
  const retryAfterSeconds = parseRetryAfter(headers);
  if (meaning === 429) return { kind: 'rate_limited', retryAfterSeconds, detail };
  if (meaning >= 500 || meaning === 408 || meaning === 424) return { kind: 'unavailable', retryAfterSeconds, detail };
  if (NO_FIELD.test(words)) return refused.forSetting(detail);
  if (NO_CACHE.test(words))
    return { kind: 'unsupported', code: 'unsupported_param', publicMessage: NO_CACHE_WORDS, detail };
  if (NO_ACCESS.test(words)) return { kind: 'model_missing', detail };
  if (meaning === 401 || meaning === 402 || meaning === 403) return { kind: 'auth_failed', detail };
  if (meaning === 404 || refused.mentions(words, MODEL_WORDS)) return { kind: 'model_missing', detail };
  if (refused.isUnknownTool(words)) return refused.forTool(detail);
  return refusesThinking(words) ? refused.forReasoning(detail) : refused.byWords(meaning, words, detail, SIGNS);
}
