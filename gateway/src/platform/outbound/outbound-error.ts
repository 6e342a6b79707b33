// How a request to a stranger's address fails. The person who named the address may read the messages: they never
// contain what a name resolved to, because that would reveal the gateway's network.

/** The address itself is refused; asking again changes nothing. */
export class ForbiddenUrlError extends Error {
  override readonly name = 'ForbiddenUrlError';
}

/** The same message for every address, so that nothing is learnt from it. */
export const forbiddenAddress = (): ForbiddenUrlError =>
  new ForbiddenUrlError('must not lead to a private, loopback, link-local or otherwise local address');

export type OutboundFailure = 'unreachable' | 'timeout' | 'oversize' | 'undecodable' | 'too_many_redirects';

/** The address is fine, but no usable answer came. */
export class OutboundError extends Error {
  readonly kind: OutboundFailure;
  /** The answer's status where one came and only its body cannot be used. */
  readonly status: number | null;

  constructor(kind: OutboundFailure, cause?: unknown, status: number | null = null) {
    super(kind, cause === undefined ? undefined : { cause });
    this.name = 'OutboundError';
    this.kind = kind;
    this.status = status;
  }
}
