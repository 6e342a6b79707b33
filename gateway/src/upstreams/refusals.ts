// Refusals of upstreams in our own words, imported as `refused`. Those that clients act upon by themselves are worded
// as vendors word them; of the upstream's own text only two numbers and the name of a field pass.

import { type ContextOverflow, overflowMessage } from '../errors/context-overflow.ts';
import type { UpstreamFailure } from './protocol.ts';

export function byPolicy(detail: string): UpstreamFailure {
  const publicMessage =
    'The provider refused this request on safety grounds, by its content filtering policy (content_policy_violation).';
  return { kind: 'rejected', code: 'content_moderation', publicMessage, detail };
}

/** `message` is the upstream's, which may say how long is too long. */
export function asTooLong(message: string, detail: string): UpstreamFailure {
  const overflow = readOverflow(message);
  const publicMessage = overflowMessage(overflow);
  return { kind: 'rejected', code: 'context_too_long', publicMessage, overflow, detail };
}

export const asTooLarge = (detail: string): UpstreamFailure => ({
  kind: 'rejected',
  code: 'http_413',
  publicMessage: 'The provider finds the request too large.',
  detail,
});

/** `field` is the limit by the name that the upstream has for it, where it says one that callers know. */
export function forOutputLimit(detail: string, field?: string): UpstreamFailure {
  const what = field === undefined ? 'the limit of output tokens' : `the value of ${field}`;
  const publicMessage = `The provider does not accept ${what} for this model.`;
  return { kind: 'rejected', code: 'max_tokens_invalid', publicMessage, detail };
}

/** The gateway's account there does not pay for so long an answer; another provider may give it. */
export function forWantOfCredit(detail: string): UpstreamFailure {
  const publicMessage = 'The provider does not give so long an answer now. Lower the limit of output tokens.';
  return { kind: 'unsupported', code: 'max_tokens_invalid', publicMessage, detail };
}

/** `field` is the one at fault, where the upstream names it. */
export function otherwise(detail: string, field?: string): UpstreamFailure {
  const hint = field === undefined ? '' : `: check ${field}`;
  const publicMessage = `The provider did not accept the request${hint}.`;
  return { kind: 'rejected', code: 'unknown_4xx', publicMessage, detail };
}

/** Thinking that was sent back was refused; without it the call may pass. */
export function forReasoning(detail: string): UpstreamFailure {
  const publicMessage =
    'The provider did not accept the thinking in this conversation. Send it as it came, with everything before it.';
  return { kind: 'rejected', code: 'unknown_4xx', publicMessage, detail, isReasoningForeign: true };
}

const UNKNOWN_TOOL = /^tools\.\d+[\w.]*: Input tag '/;

/** In Anthropic's words, for a tool of a type that it has elsewhere, or in a newer version only. */
export const isUnknownTool = (words: string): boolean => UNKNOWN_TOOL.test(words);

export function forTool(detail: string): UpstreamFailure {
  const publicMessage = 'The provider does not have every type of tool in this request for this model.';
  return { kind: 'unsupported', code: 'unsupported_param', publicMessage, detail };
}

export function forSetting(detail: string): UpstreamFailure {
  const publicMessage = 'The provider does not have every setting of this request for this model.';
  return { kind: 'unsupported', code: 'unsupported_param', publicMessage, detail };
}

type Signs = Readonly<{
  /** Phrases in lower case. */
  context: readonly string[];
  policy: readonly string[];
  outputLimit: RegExp;
  /** With the name in its first group. */
  field?: RegExp;
}>;

/** What remains when neither the provider nor its account is at fault, told apart by the upstream's words. */
export function byWords(status: number, words: string, detail: string, signs: Signs): UpstreamFailure {
  if (mentions(words, signs.context)) return asTooLong(words, detail);
  if (mentions(words, signs.policy)) return byPolicy(detail);
  if (status === 413) return asTooLarge(detail);
  if (signs.outputLimit.test(words)) return forOutputLimit(detail);
  return otherwise(detail, signs.field?.exec(words)?.[1]?.toLowerCase());
}

/** Statuses by which an upstream blames the request itself. */
const BLAMING: ReadonlySet<number> = new Set([400, 413, 422]);

const INSIDE_SIGNS: Signs = {
  context: ['context_length_exceeded', 'context length', 'context window', 'prompt is too long', 'input is too long'],
  policy: [
    'content_policy',
    'content_filter',
    'content policy',
    'content filtering policy',
    'safety system',
    'was flagged',
  ],
  outputLimit: /"param":\s*"max_(?:completion_|output_)?tokens"/,
};

/**
 * What an error inside an answer with status 200 means by the status that it states. Null where it may be the
 * provider's own failure. `words` are the upstream's.
 */
export function inside(status: number | null, words: string, detail: string): UpstreamFailure | null {
  if (status === 429) return { kind: 'rate_limited', retryAfterSeconds: null, detail };
  if (status === null || !BLAMING.has(status)) return null;
  const refusal = byWords(status, words, detail, INSIDE_SIGNS);
  // Some say 400 for whatever goes wrong in a stream, so without a reason the next provider is asked all the same.
  const isVague = refusal.kind === 'rejected' && refusal.code === 'unknown_4xx';
  return isVague ? { kind: 'unsupported', code: refusal.code, publicMessage: refusal.publicMessage, detail } : refusal;
}

/**
 * Whether a 403 is a page of HTML: a guard in front of the upstream has refused the call, perhaps for what the prompt
 * says, and the upstream has never seen the key.
 */
export const isByGuard = (status: number, text: string): boolean => status === 403 && /^\s*</.test(text);

/** An honest error fits easily; more is not worth parsing. */
export const ERROR_BYTES_MAX = 65_536;

/** In whatever case; the phrases are in lower case. */
export function mentions(text: string, phrases: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return phrases.some((phrase) => lower.includes(phrase));
}

const TOKENS =
  /\b(\d{3,9})\b(?= (?:tokens?|input tokens|maximum)\b)|(?<=\b(?:is|of|limit|than|>|maximum) )(\d{3,9})\b/g;

/** The larger of two numbers is what was sent, the smaller is the limit. */
function readOverflow(message: string): ContextOverflow {
  const numbers = [...message.slice(0, 500).replaceAll(',', '').matchAll(TOKENS)].map(([text]) => Number(text));
  const distinct = [...new Set(numbers)];
  if (distinct.length !== 2) return { tokens: null, tokensMax: null };
  return { tokens: Math.max(...distinct), tokensMax: Math.min(...distinct) };
}
