// What is seen from outside of how busy the process is: figures of what was refused for it, and the listener that serves
// metrics alone, for scrapers in a network of their own.

import type { Listener } from '../config-values.ts';
import { serveMetrics } from '../endpoints/system/metrics.ts';
import type { LoadGauge } from '../http/load-gauge.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';

export function watchLoad(metrics: Metrics, load: LoadGauge): void {
  metrics.watch({
    name: 'tollgate_overload_refusals_total',
    help: 'Calls refused unread because the process had more to do than it could.',
    kind: 'counter',
    read: () => load.refusedCount,
  });
  metrics.watch({
    name: 'tollgate_overload_refused_share',
    help: 'The share of calls that is refused for that reason now.',
    kind: 'gauge',
    read: () => load.refusedShare,
  });
}

export async function listenForMetrics(
  listener: Listener | null,
  services: Readonly<{ metrics: Metrics }>,
  logger: Logger,
): Promise<HttpServer | null> {
  if (listener === null) return null;
  const routes = [{ method: 'GET', path: '/metrics', access: 'public', handle: serveMetrics(services) }] as const;
  const server = createHttpServer({ routes, logger });
  await server.listen(listener.port, listener.host);
  return server;
}
