// GET /healthz and GET /readyz. Alive means that the process answers; ready means that a call could be served, which a
// load balancer needs to know and a process supervisor must not confuse with being dead.

import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';

export const readHealth: Handler = (exchange) => sendJson(exchange, 200, { status: 'ok' });

export type Readiness = Readonly<{ isDraining(): boolean; isDatabaseReachable(): boolean }>;

export const readReadiness =
  (readiness: Readiness): Handler =>
  (exchange) => {
    const isDraining = readiness.isDraining();
    const isDatabaseReachable = readiness.isDatabaseReachable();
    const status = isDraining ? 'draining' : isDatabaseReachable ? 'ready' : 'database unreachable';
    sendJson(exchange, isDatabaseReachable && !isDraining ? 200 : 503, { status });
  };
