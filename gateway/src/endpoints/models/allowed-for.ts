// Listings are public. A key is not needed, and one that is not valid is not looked at; but whoever sends a key of an
// organization that has chosen its models is shown those alone.

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
