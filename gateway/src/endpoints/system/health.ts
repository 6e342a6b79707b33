// GET /healthz and GET /readyz. Alive means that the process answers; ready means that a call could be served, which a
// load balancer needs to know and a process supervisor must not take for being dead.

import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';

export const readHealth: Handler = (exchange) => sendJson(exchange, 200, { status: 'ok' });

export type Readiness = Readonly<{
  /** It serves already, and what the starter still makes through it is not there yet. */
  isStarting(): boolean;
  isDraining(): boolean;
  isDatabaseReachable(): boolean;
  /** Paid calls are admitted and settled, which may fail even while the database answers. */
  isLedgerServing(): boolean;
}>;

function statusOf(readiness: Readiness): string {
  if (readiness.isDraining()) return 'draining';
  if (readiness.isStarting()) return 'starting';
  if (!readiness.isDatabaseReachable()) return 'database unreachable';
  return readiness.isLedgerServing() ? READY : 'ledger unavailable';
}

const READY = 'ready';

export const readReadiness =
  (readiness: Readiness): Handler =>
  (exchange) => {
    const status = statusOf(readiness);
    sendJson(exchange, status === READY ? 200 : 503, { status });
  };
