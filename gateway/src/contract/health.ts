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
    provider: text('The provider.'),
    upstreamModel: text("The provider's name of the model."),
    models: listOf(Type.String(), 'The models that use this route.'),
    state: oneOf(ROUTE_STATES, 'Whether the route is used, and if not, why.'),
    breaker: oneOf(
      ['closed', 'open', 'half_open'],
      "The state of the route's switch: `open` routes are not used after failures, `half_open` ones get single test calls.",
    ),
    retryInSeconds: orNull(
      number('After how many seconds a route that is out of use is tried again; null for a route in use.'),
    ),
    calls: count('In the last minute.'),
    errorRate: orNull(number('In the last minute; null when there were no calls.')),
    latencyMs: Type.Object(
      { p50: orNull(Type.Number()), p95: orNull(Type.Number()) },
      {
        description: 'The time to the first piece of a stream, or to the end of a whole answer, over the newest calls.',
      },
    ),
    tokensPerSecond: orNull(number('Tokens per second, over the newest calls.')),
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
    calls: count('Calls that the provider answered or failed.'),
    failures: count('Calls that the provider failed.'),
    latencyMs: orNull(number('The mean time to the first piece of a stream, or to the end of a whole answer.')),
    tokensPerSecond: orNull(number('Tokens per second, the mean.')),
  },
  named('RouteHistoryPoint'),
);

export const RouteHistoryAnswer = Type.Object(
  {
    provider: text('The provider.'),
    upstreamModel: text("The provider's name of the model."),
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
    latencyMs: orNull(number('The mean time to the first piece of a stream, or to the end of a whole answer.')),
    tokensPerSecond: orNull(number('Tokens per second, the mean.')),
  },
  named('ModelRouteHour'),
);

const ModelRoute = Type.Object(
  {
    provider: text('The provider.'),
    state: oneOf(MODEL_ROUTE_STATES, '`degraded` routes are used after the others, `unavailable` ones are not used.'),
    errorRate: orNull(number('In the last minute; null when there were no calls.')),
    latencyMs: Type.Object(
      { p50: orNull(Type.Number()), p95: orNull(Type.Number()) },
      {
        description: 'The time to the first piece of a stream, or to the end of a whole answer, over the newest calls.',
      },
    ),
    tokensPerSecond: orNull(number('Tokens per second, over the newest calls.')),
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
  {
    status: oneOf(
      ['ready', 'starting', 'draining', 'database unreachable', 'ledger unavailable'],
      'Whether calls can be served.',
    ),
  },
  named('Readiness'),
);
