// The health of every route of the catalog, those in trouble first. The figures are those of the process that answers.

import { useQuery } from '@tanstack/react-query';
import { type RouteHealthEntry, type RouteState, routeHealthQuery } from '../../../api/operator/system.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { formatCount, formatDuration, formatPercent } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Stat, StatRow } from '../../../ui/stat.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { Attention } from '../providers/attention.tsx';
import { RouteHistoryButton } from './route-history.tsx';

const STATES: Readonly<Record<RouteState, readonly [string, Tone]>> = {
  healthy: ['healthy', 'good'],
  untried: ['untried', 'neutral'],
  failing: ['failing', 'bad'],
  probing: ['probing', 'warn'],
  isolated: ['isolated', 'bad'],
  rate_limited: ['rate limited', 'warn'],
  auth_failed: ['key refused', 'bad'],
  suspect: ['suspect', 'warn'],
};

const COLUMNS = [
  { label: 'Route' },
  { label: 'State' },
  { label: 'Calls a minute', isNumber: true },
  { label: 'Errors', isNumber: true },
  { label: 'Latency', isNumber: true },
  { label: 'Tokens/s', isNumber: true },
  { label: 'Last error' },
  { label: 'The last day', isHidden: true },
];

export function Health() {
  const query = useQuery(routeHealthQuery);
  return (
    <Page
      title="Health"
      description="Every route to an upstream; routes with problems come first. Updated every five seconds."
    >
      <Attention />
      <QueryView query={query}>{(routes) => <Routes routes={routes} />}</QueryView>
    </Page>
  );
}

function Routes({ routes }: Readonly<{ routes: readonly RouteHealthEntry[] }>) {
  const countOf = (wanted: RouteState): number => routes.filter(({ state }) => state === wanted).length;
  const [healthy, untried] = [countOf('healthy'), countOf('untried')];
  return (
    <>
      <StatRow>
        <Stat label="Healthy" value={formatCount(healthy)} note={`Of ${formatCount(routes.length)} routes.`} />
        <Stat label="Untried" value={formatCount(untried)} />
        <Stat label="In trouble" value={formatCount(routes.length - healthy - untried)} />
        <Stat label="Calls, last minute" value={formatCount(routes.reduce((sum, { calls }) => sum + calls, 0))} />
      </StatRow>
      <Card isFlush>
        <Table label="Routes" columns={COLUMNS}>
          {routes.map((route) => (
            <RouteRow key={`${route.provider} ${route.upstreamModel}`} route={route} />
          ))}
        </Table>
        {routes.length === 0 && (
          <p className="px-5 py-8 text-center text-sm text-quiet">
            The catalog has no routes yet. Add models to it first.
          </p>
        )}
      </Card>
    </>
  );
}

const orDash = (figure: number | null, format: (figure: number) => string): string =>
  figure === null ? '–' : format(figure);

function RouteRow({ route }: Readonly<{ route: RouteHealthEntry }>) {
  const [words, tone] = STATES[route.state];
  const { p50, p95 } = route.latencyMs;
  return (
    <tr>
      <Cell>
        <span className="font-medium">{route.provider}</span>
        <span className="block font-mono text-xs text-quiet break-all sm:min-w-32 xl:min-w-44">
          {route.upstreamModel}
        </span>
      </Cell>
      <Cell className="whitespace-nowrap">
        <Badge tone={tone}>{words}</Badge>
        {route.breaker !== 'closed' && (
          <span className="mt-0.5 block text-xs text-quiet">
            {route.breaker === 'open' ? 'not used now' : 'tried with one call'}
            {route.retryInSeconds !== null && `, again in ${route.retryInSeconds} s`}
          </span>
        )}
      </Cell>
      <Cell isNumber>{formatCount(route.calls)}</Cell>
      <Cell isNumber>{orDash(route.errorRate, formatPercent)}</Cell>
      <Cell isNumber className="whitespace-nowrap">
        {orDash(p50, formatDuration)}
        {p95 !== null && <span className="block text-xs text-quiet">p95 {formatDuration(p95)}</span>}
      </Cell>
      <Cell isNumber>{orDash(route.tokensPerSecond, (speed) => formatCount(Math.round(speed)))}</Cell>
      <Cell className="min-w-28 text-xs">
        {route.lastError === null ? (
          <span className="text-quiet">none</span>
        ) : (
          <>
            <span className="font-medium">{route.lastError.kind.replaceAll('_', ' ')}</span>,{' '}
            <Moment at={route.lastError.at} />
            <span className="block break-words text-quiet">{route.lastError.detail}</span>
          </>
        )}
      </Cell>
      <Cell className="text-right">
        <RouteHistoryButton provider={route.provider} upstreamModel={route.upstreamModel} />
      </Cell>
    </tr>
  );
}
