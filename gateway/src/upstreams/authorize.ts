// The ways to sign a call that several protocols have in common.

import type { Protocol } from './protocol.ts';

/** The provider's key as a bearer token, which is how nearly everybody takes it. */
export const bearer: Protocol['authorize'] = (_, { apiKey }) => ['authorization', `Bearer ${apiKey}`];
