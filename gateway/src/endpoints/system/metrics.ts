// GET /metrics, for the operator's token or a scraper on the same machine. A reverse proxy on the same machine speaks
// from the loopback address too, so a request that was forwarded needs the token.

import type { IncomingMessage } from 'node:http';
import type { Handler } from '../../http/exchange.ts';
import { sendBytes } from '../../http/respond.ts';
import { requireOperator } from '../../pipeline/authenticate.ts';
import type { Metrics } from '../../platform/metrics.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const FORWARDING_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'];

export type MetricsServices = Readonly<{
  metrics: Metrics;
  operatorToken: string;
  /** The header that the operator's proxy sets, beyond the usual ones. */
  clientIpHeader: string | null;
}>;

export function readMetrics({ metrics, operatorToken, clientIpHeader }: MetricsServices): Handler {
  const forwardingHeaders = clientIpHeader === null ? FORWARDING_HEADERS : [...FORWARDING_HEADERS, clientIpHeader];
  return async (exchange) => {
    if (!isLocal(exchange.request, forwardingHeaders)) requireOperator(exchange, operatorToken);
    sendBytes(exchange, 200, { type: metrics.contentType, body: await metrics.render() });
  };
}

function isLocal(request: IncomingMessage, forwardingHeaders: readonly string[]): boolean {
  if (!LOOPBACK.has(request.socket.remoteAddress ?? '')) return false;
  return forwardingHeaders.every((name) => request.headers[name] === undefined);
}
