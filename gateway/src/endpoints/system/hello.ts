// Requests that clients make before the real one. HEAD / and HEAD /api/hello are connectivity checks of coding agents.
// GET /v1/responses is a WebSocket attempt: 426 makes the client fall back to POST at once, where other answers make it
// retry for seconds.

import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendEmpty } from '../../http/respond.ts';

export const answerHello: Handler = (exchange) => sendEmpty(exchange, 200);

export const refuseUpgrade: Handler = (exchange) => {
  if (exchange.request.headers.upgrade === undefined) {
    throw new ApiError('http_405', 'This path allows only: POST.', { headers: { Allow: 'POST' } });
  }
  throw new ApiError('http_426', 'WebSocket connections are not offered: send the request with POST.');
};
