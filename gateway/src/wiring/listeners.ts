// The listeners: one for everything, which refuses calls when the process is overloaded, and, where it is set, one that
// serves only metrics, for scrapers in another network.

import type { Config } from '../config.ts';
import { createRoutes } from '../endpoints/routes.ts';
import type { Services } from '../endpoints/services.ts';
import { serveMetrics } from '../endpoints/system/metrics.ts';
import type { RouteRow } from '../http/exchange.ts';
import { LoadGauge } from '../http/load-gauge.ts';
import { createHttpServer, type HttpServer } from '../http/server.ts';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logger.ts';
import type { Metrics } from '../platform/metrics.ts';

export type Listening = Readonly<{
  port: number;
  /** The routes, for code that calls them without a client. */
  routes: readonly RouteRow[];
  isDraining(): boolean;
  /** Whether calls are being refused because the process is overloaded. */
  isOverloaded(): boolean;
  /** Lets running calls end until the deadline. */
  close(drainDeadlineMs: number): Promise<void>;
}>;

type Parts = Readonly<{ config: Config; clock: Clock; logger: Logger }>;

export async function openListeners({ config, clock, logger }: Parts, services: Services): Promise<Listening> {
  const { metrics } = services;
  const load = new LoadGauge(clock, config.overloadRoundMs);
  watchLoad(metrics, load);
  const onFinished = metrics.requestFinished;
  const routes = createRoutes(services);
  const server = createHttpServer({ routes, logger, onFinished, load });
  const { port } = await server.listen(config.port, config.host);
  const metricsServer = await listenForMetrics(config.metricsListen, metrics, logger);
  return {
    port,
    routes,
    isDraining: server.isDraining,
    isOverloaded: () => load.isOverloaded,
    async close(drainDeadlineMs) {
      await server.drain(drainDeadlineMs);
      await metricsServer?.drain(0);
      load.close();
    },
  };
}

function watchLoad(metrics: Metrics, load: LoadGauge): void {
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

async function listenForMetrics(
  listener: Config['metricsListen'],
  metrics: Metrics,
  logger: Logger,
): Promise<HttpServer | null> {
  if (listener === null) return null;
  const routes = [{ method: 'GET', path: '/metrics', access: 'public', handle: serveMetrics({ metrics }) }] as const;
  const server = createHttpServer({ routes, logger });
  await server.listen(listener.port, listener.host);
  return server;
}
