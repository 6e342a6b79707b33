// The providers of a model, their current health, and that of the last day.

import { useQuery } from '@tanstack/react-query';
import { type ModelRoute, modelRoutesQuery } from '../../api/models.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { DayBars } from '../../ui/day-bars.tsx';
import { formatCount, formatDuration, formatPercent } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { figureBars, uptimeBars } from './route-day.ts';

const TONES: Readonly<Record<ModelRoute['state'], Tone>> = {
  healthy: 'good',
  untried: 'neutral',
  degraded: 'warn',
  unavailable: 'bad',
};

const COLUMNS = [
  { label: 'Provider' },
  { label: 'State' },
  { label: 'Latency p50', isNumber: true },
  { label: 'Latency p95', isNumber: true },
  { label: 'Tokens a second', isNumber: true },
  { label: 'Errors', isNumber: true },
  { label: 'Answered, 24 hours' },
  { label: 'Speed, 24 hours' },
];

const orDash = (figure: number | null, format: (figure: number) => string): string =>
  figure === null ? '–' : format(figure);

const HOUR_MS = 3_600_000;

function RouteDay({ route: { uptime, history } }: Readonly<{ route: ModelRoute }>) {
  const nowMs = Date.now();
  const share = uptime === null ? 'no calls' : formatPercent(uptime);
  const speed = {
    of: (point: ModelRoute['history'][number]) => point.tokensPerSecond,
    format: (value: number) => `${formatCount(Math.round(value))} tokens a second`,
  };
  return (
    <>
      <Cell>
        <span className="text-xs text-quiet">{share}</span>
        <DayBars title={`Answered over the last 24 hours: ${share}`} bars={uptimeBars(history, HOUR_MS, nowMs)} />
      </Cell>
      <Cell>
        <span className="text-xs text-quiet">tokens a second</span>
        <DayBars title="Speed over the last 24 hours" bars={figureBars(history, speed, HOUR_MS, nowMs)} />
      </Cell>
    </>
  );
}

export function ModelRoutes({ slug, isSignedIn }: Readonly<{ slug: string; isSignedIn: boolean }>) {
  const query = useQuery(modelRoutesQuery(slug, isSignedIn));
  return (
    <Card
      title="Routes"
      description="The providers that answer, and how they are doing now. When one fails, the next one is asked."
      isFlush
    >
      <QueryView query={query}>
        {(routes) => (
          <Table label="Routes" columns={COLUMNS}>
            {routes.map((route, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: one provider may serve a model twice, by different routes.
              <tr key={index}>
                <Cell className="font-medium">{route.provider}</Cell>
                <Cell>
                  <Badge tone={TONES[route.state]}>{route.state}</Badge>
                </Cell>
                <Cell isNumber>{orDash(route.latencyMs.p50, formatDuration)}</Cell>
                <Cell isNumber>{orDash(route.latencyMs.p95, formatDuration)}</Cell>
                <Cell isNumber>{orDash(route.tokensPerSecond, (speed) => formatCount(Math.round(speed)))}</Cell>
                <Cell isNumber>{orDash(route.errorRate, formatPercent)}</Cell>
                <RouteDay route={route} />
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
    </Card>
  );
}
