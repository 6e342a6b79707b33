// Whether the gateway can serve, and the health of the routes to providers, as a table: which are not used and why, and
// the figures of the others.

import type { RouteHealthEntry, RouteHistoryAnswer } from '../../contract/health.ts';
import { type Command, CommandError, type CommandInput, type CommandResult, operand } from '../command.ts';
import { queryOf } from '../query-text.ts';
import { formatTable, type Row } from '../table.ts';

const COLUMNS = ['state', 'provider', 'upstream model', 'calls', 'errors', 'p50', 'p95', 'tokens/s', 'last error'];
const DETAIL_LENGTH_MAX = 60;

function isRouteList(value: unknown): value is { routes: readonly RouteHealthEntry[] } {
  return typeof value === 'object' && value !== null && 'routes' in value && Array.isArray(value.routes);
}

function routeRow(route: RouteHealthEntry): Row {
  const { state, retryInSeconds, errorRate, latencyMs, lastError } = route;
  const milliseconds = (figure: number | null): string | null => (figure === null ? null : `${Math.round(figure)} ms`);
  return {
    state: retryInSeconds === null ? state : `${state} ${retryInSeconds}s`,
    provider: route.provider,
    'upstream model': route.upstreamModel,
    calls: route.calls,
    errors: errorRate === null ? null : `${(errorRate * 100).toFixed(1)}%`,
    p50: milliseconds(latencyMs.p50),
    p95: milliseconds(latencyMs.p95),
    'tokens/s': route.tokensPerSecond,
    'last error': lastError === null ? null : describeError(lastError),
  };
}

/** One line, whatever a provider wrote into it. */
function describeError({ kind, at, detail }: NonNullable<RouteHealthEntry['lastError']>): string {
  return `${at} ${kind}: ${detail.replace(/\s+/g, ' ').slice(0, DETAIL_LENGTH_MAX)}`;
}

/** A gateway that is not ready is a failure for scripts, with the reason. */
async function readiness(input: CommandInput): Promise<CommandResult> {
  const { url, probe } = input.operator();
  const { status, body } = await probe('/readyz');
  const state = typeof body === 'object' && body !== null && 'status' in body ? String(body.status) : 'unknown';
  const isReady = status === 200;
  return {
    json: { url, ready: isReady, status: state },
    text: isReady ? `${url} is ready.` : `${url} answers, but cannot serve: ${state}.`,
    isFailure: !isReady,
  };
}

const POINT_COLUMNS = ['since', 'calls', 'failed', 'latency', 'tokens/s'];

async function history(input: CommandInput): Promise<CommandResult> {
  const query = { provider: operand(input, 'PROVIDER'), upstream_model: operand(input, 'UPSTREAM_MODEL') };
  const answer = (await input
    .operator()
    .call('GET', `/admin/v1/health/history${queryOf(query)}`)) as RouteHistoryAnswer;
  const rows = answer.points.map(({ at, calls, failures, latencyMs, tokensPerSecond }) => ({
    ...{ since: at, calls, failed: failures, 'tokens/s': tokensPerSecond },
    latency: latencyMs === null ? null : `${Math.round(latencyMs)} ms`,
  }));
  const text =
    rows.length === 0 ? 'Nothing was asked of this route in the last 24 hours.' : formatTable(POINT_COLUMNS, rows);
  return { json: answer, text };
}

export const healthCommands: readonly Command[] = [
  {
    words: ['health'],
    operands: [],
    options: {},
    summary: 'Tell whether the gateway can serve; exit code 1 when it cannot.',
    example: 'health',
    run: readiness,
  },
  {
    words: ['health', 'routes'],
    operands: [],
    options: {},
    summary: 'Show the health of every route to a provider: state, errors and speed of the last minute.',
    example: 'health routes',
    async run(input) {
      const answer = await input.operator().call('GET', '/admin/v1/health/routes');
      if (!isRouteList(answer)) throw new CommandError('The gateway answered something that is no list of routes.');
      return { json: answer, text: formatTable(COLUMNS, answer.routes.map(routeRow)) };
    },
  },
  {
    words: ['health', 'history'],
    operands: ['PROVIDER', 'UPSTREAM_MODEL'],
    options: {},
    summary: 'Show how a route did in the last 24 hours: calls, failures and speed, by quarters of an hour.',
    example: 'health history acme large-1',
    run: history,
  },
];
