// A route's health with the names and roundings of answers. The figures are this process's own.

import type { RouteState } from '../contract/health.ts';
import type { RouteHealth } from '../modules/routing/route-health.ts';

type Figures = Readonly<{
  state: RouteState;
  calls: number;
  errorRate: number | null;
  latencyMs: Readonly<{ p50: number | null; p95: number | null }>;
  tokensPerSecond: number | null;
}>;

export function figuresOf(health: RouteHealth, isKeyQuarantined: boolean, nowMs: number): Figures {
  const { calls, failures } = health.lastMinute(nowMs);
  return {
    state: stateOf(health, isKeyQuarantined, nowMs),
    calls,
    errorRate: calls === 0 ? null : rounded(failures / calls, 3),
    latencyMs: { p50: rounded(health.latencyPercentile(0.5), 1), p95: rounded(health.latencyPercentile(0.95), 1) },
    tokensPerSecond: rounded(health.tokensPerSecond(nowMs), 1),
  };
}

function stateOf(health: RouteHealth, isKeyQuarantined: boolean, nowMs: number): RouteState {
  const isolation = health.isolation(nowMs);
  if (health.switchState(nowMs) === 'half_open') return 'probing';
  if (isolation !== null) return isolation.reason === 'failing' ? 'isolated' : isolation.reason;
  if (isKeyQuarantined) return 'suspect';
  if (health.hasAnsweredLast === null) return 'untried';
  return health.hasAnsweredLast ? 'healthy' : 'failing';
}

function rounded<Figure extends number | null>(figure: Figure, decimals: number): Figure {
  return (figure === null ? null : Number(figure.toFixed(decimals))) as Figure;
}
