// Listings are public: a key is not needed, and an invalid one is ignored; but a caller with a key of an organization
// that has chosen its models sees only those.

import type { AllowedModels } from '../../canonical/allowed-models.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { type AuthenticationServices, authenticate } from '../../pipeline/authenticate.ts';

/** Null when every model is to be shown. */
export async function allowedFor(exchange: Exchange, services: AuthenticationServices): Promise<AllowedModels | null> {
  if (exchange.request.headers.authorization === undefined) return null;
  try {
    return (await authenticate(exchange, services)).allowedModels;
  } catch (error) {
    if (error instanceof ApiError && (error.status === 401 || error.status === 403)) return null;
    throw error;
  }
}
