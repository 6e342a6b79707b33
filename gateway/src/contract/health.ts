// The health of routes: all of them for operators, those of one model for its callers, who see neither upstream names
// nor errors.

import { Type } from '@sinclair/typebox';
import { count, listOf, moment, named, number, oneOf, orNull, type Shape, text } from './shape.ts';

/**
 * `healthy` answered the last call, `failing` did not, `untried` has had none since this process started; `probing`
 * gets one call at a time; `isolated` after failures, `rate_limited` and `auth_failed` after such answers of the
 * provider; `suspect` when the provider has refused the key on another route, so that other routes go first.
 */
const ROUTE_STATES = [
  'healthy',
  'untried',
  'failing',
  'probing',
  'isolated',
  'rate_limited',
  'auth_failed',
  'suspect',
] as const;
export type RouteState = (typeof ROUTE_STATES)[number];

const RouteHealthEntry = Type.Object(
  {
    provider: text('Who is asked.'),
    upstreamModel: text('For what.'),
    models: listOf(Type.String(), 'The models that are served through it.'),
    state: oneOf(ROUTE_STATES, 'Whether it is asked, and if not, why.'),
    breaker: oneOf(['closed', 'open', 'half_open'], 'What failures have made of it.'),
    retryInSeconds: orNull(number('When a route that is not asked will be asked again; null for one that is.')),
    calls: count('In the last minute.'),
    errorRate: orNull(number('In the last minute; null when there were no calls.')),
    latencyMs: Type.Object(
      { p50: orNull(Type.Number()), p95: orNull(Type.Number()) },
      { description: 'To the first piece of a stream, or the whole of another answer, over the newest calls.' },
    ),
    tokensPerSecond: orNull(number('Over the newest calls.')),
    lastError: orNull(Type.Object({ kind: Type.String(), at: moment('When.'), detail: Type.String() })),
  },
  named('RouteHealth'),
);
export type RouteHealthEntry = Shape<typeof RouteHealthEntry>;

export const RouteHealthAnswer = Type.Object({ routes: listOf(RouteHealthEntry) }, named('RouteHealthList'));
export type RouteHealthAnswer = Shape<typeof RouteHealthAnswer>;

const MODEL_ROUTE_STATES = ['healthy', 'untried', 'degraded', 'unavailable'] as const;

const HistoryPoint = Type.Object(
  {
    at: moment('When the span began.'),
    calls: count('That were answered or failed by the provider.'),
    failures: count('Those that it failed.'),
    latencyMs: orNull(number('To the first piece of a stream, or the whole of another answer; the mean.')),
    tokensPerSecond: orNull(number('The mean.')),
  },
  named('RouteHistoryPoint'),
);

export const RouteHistoryAnswer = Type.Object(
  {
    provider: text('Who is asked.'),
    upstreamModel: text('For what.'),
    spanSeconds: count('How long each span is.'),
    points: listOf(HistoryPoint, 'Of the last 24 hours and of all processes; without spans in which nothing happened.'),
  },
  named('RouteHistory'),
);
export type RouteHistoryAnswer = Shape<typeof RouteHistoryAnswer>;

/** Without counts, because how much a gateway is used is private. */
const ModelHistoryPoint = Type.Object(
  {
    at: moment('When the hour began.'),
    uptime: orNull(number('The share of calls that the provider answered; null where there were none.')),
    latencyMs: orNull(number('To the first piece of a stream, or the whole of another answer; the mean.')),
    tokensPerSecond: orNull(number('The mean.')),
  },
  named('ModelRouteHour'),
);

const ModelRoute = Type.Object(
  {
    provider: text('Who answers.'),
    state: oneOf(MODEL_ROUTE_STATES, '`degraded` routes are asked after the others, `unavailable` ones not at all.'),
    errorRate: orNull(number('In the last minute; null when there were no calls.')),
    latencyMs: Type.Object(
      { p50: orNull(Type.Number()), p95: orNull(Type.Number()) },
      { description: 'To the first piece of a stream, or the whole of another answer, over the newest calls.' },
    ),
    tokensPerSecond: orNull(number('Over the newest calls.')),
    uptime: orNull(number('The share of calls of the last 24 hours that were answered; null when there were none.')),
    history: listOf(ModelHistoryPoint, 'The last 24 hours, of all processes; without hours in which nothing happened.'),
  },
  named('ModelRoute'),
);
export type ModelRoute = Shape<typeof ModelRoute>;

export const ModelRoutesAnswer = Type.Object(
  { model: Type.String(), routes: listOf(ModelRoute) },
  named('ModelRoutes'),
);
export type ModelRoutesAnswer = Shape<typeof ModelRoutesAnswer>;

export const AliveAnswer = Type.Object({ status: Type.Literal('ok') }, named('Alive'));

export const ReadyAnswer = Type.Object(
  { status: oneOf(['ready', 'draining', 'database unreachable'], 'Whether calls can be served.') },
  named('Readiness'),
);
