// Refusals in operations where the providers of one model differ in what they can do: a request that one of them
// refuses may suit the next, so it counts as the caller's fault only when all have refused.

import type { IncomingHttpHeaders } from 'node:http';
import type { UpstreamFailure } from '../../protocol.ts';
import { decodeError } from './decode-error.ts';

export function decodeSupportError(status: number, headers: IncomingHttpHeaders, body: Buffer): UpstreamFailure {
  const failure = decodeError(status, headers, body);
  if (failure.kind !== 'rejected' || failure.code !== 'unknown_4xx') return failure;
  return { ...failure, kind: 'unsupported' };
}
