// Turns a call and a candidate into the bytes that go to its provider. Encoding is pure, so every attempt does it anew.

import type { Candidate, UpstreamTimeouts } from '../../canonical/model.ts';
import type { CanonicalRequest } from '../../canonical/operation.ts';
import { assert } from '../../platform/assert.ts';
import type { Codec } from '../../upstreams/protocol.ts';
import { authorizationOf, codecOf } from '../../upstreams/registry.ts';
import type { TransportCall } from '../../upstreams/transport/receiver.ts';
import type { Call } from '../call.ts';
import { answerBytesMax, answerTotalMs, outputTerms } from '../money/output-terms.ts';

type AttemptPlan = Readonly<{
  call: Call;
  candidate: Candidate;
  timeouts: UpstreamTimeouts;
}>;

export type PreparedAttempt = Readonly<{
  codec: Codec;
  request: CanonicalRequest;
  call: TransportCall;
  /** How the content type of a stream begins. */
  streamType: string;
}>;

const EVENTS = 'text/event-stream';

export function prepareAttempt(plan: AttemptPlan): PreparedAttempt {
  const { candidate, timeouts } = plan;
  const { request } = plan.call;
  const tokensMax = request.outputTokensMax ?? outputTerms(request, candidate).longest;
  const codec = codecOf(candidate, request);
  assert(codec !== undefined, 'routing only offers candidates whose protocol has the codec');
  const forwarded = codec.format === plan.call.dialect.format ? plan.call.forwardedHeaders : [];
  const headers = codec.headersFrom?.(forwarded, request) ?? forwarded;
  const upstream = codec.encode(request, candidate, headers);
  const call: TransportCall = {
    baseUrl: candidate.provider.baseUrl,
    ...(candidate.own === undefined ? {} : { guardedFor: candidate.own.byokKeyId }),
    path: upstream.path,
    headers: [
      'content-type',
      upstream.contentType ?? 'application/json',
      'accept',
      upstream.accept ?? (request.isStream ? EVENTS : 'application/json'),
      'accept-encoding',
      'identity',
      ...headers,
    ],
    authorization: authorizationOf(candidate.provider),
    body: upstream.body,
    // Of an order that arrives twice two videos would be made; of all else, an answer that nobody reads.
    isRepeatable: request.operation !== 'video',
    timeouts: waitsOf(request, { ...timeouts, totalMs: answerTotalMs(request, tokensMax, timeouts.totalMs) }),
    responseBytesMax: codec.answerBytesMax ?? answerBytesMax(request, tokensMax),
  };
  return { codec, request, call, streamType: upstream.accept ?? EVENTS };
}

/**
 * A picture comes in one piece, also within a stream, and until then the upstream is silent: the idle wait is as long
 * as the whole.
 */
function waitsOf(request: CanonicalRequest, timeouts: UpstreamTimeouts): TransportCall['timeouts'] {
  const { connectMs, wholeFirstByteMs, streamFirstByteMs, idleMs, totalMs } = timeouts;
  if (request.isStream && request.needs.imageOutput) {
    return { connectMs, firstByteMs: wholeFirstByteMs, idleMs: Math.max(idleMs, wholeFirstByteMs), totalMs };
  }
  return { connectMs, firstByteMs: request.isStream ? streamFirstByteMs : wholeFirstByteMs, idleMs, totalMs };
}
