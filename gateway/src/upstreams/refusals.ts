// Refusals of upstreams that clients act upon by themselves, so that they are worded as vendors word them. Of the
// upstream's own text only two numbers pass.

import { type ContextOverflow, overflowMessage } from '../errors/context-overflow.ts';
import type { UpstreamFailure } from './protocol.ts';

export function refusedByPolicy(detail: string): UpstreamFailure {
  const publicMessage =
    'The provider refused this request on safety grounds, by its content filtering policy (content_policy_violation).';
  return { kind: 'rejected', code: 'content_moderation', publicMessage, detail };
}

/** `message` is the upstream's, which may say how long is too long. */
export function refusedAsTooLong(message: string, detail: string): UpstreamFailure {
  const overflow = readOverflow(message);
  const publicMessage = overflowMessage(overflow);
  return { kind: 'rejected', code: 'context_too_long', publicMessage, overflow, detail };
}

const TOKENS =
  /\b(\d{3,9})\b(?= (?:tokens?|input tokens|maximum)\b)|(?<=\b(?:is|of|limit|than|>|maximum) )(\d{3,9})\b/g;

/** The larger of two numbers is what was sent, the smaller is what fits. */
function readOverflow(message: string): ContextOverflow {
  const numbers = [...message.slice(0, 500).replaceAll(',', '').matchAll(TOKENS)].map(([text]) => Number(text));
  const distinct = [...new Set(numbers)];
  if (distinct.length !== 2) return { tokens: null, tokensMax: null };
  return { tokens: Math.max(...distinct), tokensMax: Math.min(...distinct) };
}
