// Ways to sign a call that several protocols share.

import type { Protocol } from './protocol.ts';

/** The provider's key as a bearer token, as nearly all providers take it. */
export const bearer: Protocol['authorize'] = (_, { apiKey }) => ['authorization', `Bearer ${apiKey}`];
