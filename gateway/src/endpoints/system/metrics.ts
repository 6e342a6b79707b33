// GET /metrics, with the operator's token, or without one for a scraper on the same machine where the gateway listens
// only for that machine. A reverse proxy on the same machine also connects from the loopback address, so a request that
// looks forwarded needs the token: even a proxy that adds no headers speaks HTTP/1.0 or names another host.

import type { Handler, HttpRequest } from '../../http/exchange.ts';
import { sendBytes } from '../../http/respond.ts';
import type { Metrics } from '../../platform/metrics.ts';
import type { OperatorGate } from '../operator-gate.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', '::1', '::ffff:127.0.0.1']);
const LOOPBACK_HOST = /^(?:localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::\d{1,5})?$/i;
const FORWARDING_HEADER =
  /^(?:x-forwarded-|x-real-|x-client-|x-original-|x-envoy-|x-amzn-|cf-|fly-|fastly-)|^(?:forwarded|via|true-client-ip|x-cluster-client-ip)$/;

type MetricsServices = Readonly<{
  metrics: Metrics;
  operatorGate: Pick<OperatorGate, 'checkToken'>;
  /** The header that the operator's proxy sets, beyond the usual ones. */
  clientIpHeader: string | null;
  /** The address that the gateway listens on; empty where scrapers have a listener of their own. */
  listenHost: string;
}>;

/** For a listener that serves nothing else. */
export const serveMetrics =
  ({ metrics }: Pick<MetricsServices, 'metrics'>): Handler =>
  async (exchange) =>
    sendBytes(exchange, 200, { type: metrics.contentType, body: await metrics.render() });

export const readMetrics =
  ({ metrics, operatorGate, clientIpHeader, listenHost }: MetricsServices): Handler =>
  async (exchange) => {
    const isOpen = listenHost === 'localhost' || LOOPBACK.has(listenHost);
    if (!isOpen || !isLocal(exchange.request, clientIpHeader)) operatorGate.checkToken(exchange);
    sendBytes(exchange, 200, { type: metrics.contentType, body: await metrics.render() });
  };

function isLocal(request: HttpRequest, clientIpHeader: string | null): boolean {
  const { headers, socket, httpVersionMinor } = request;
  if (!LOOPBACK.has(socket.remoteAddress ?? '') || httpVersionMinor === 0) return false;
  if (!LOOPBACK_HOST.test(headers.host ?? '')) return false;
  return Object.keys(headers).every((name) => name !== clientIpHeader && !FORWARDING_HEADER.test(name));
}
