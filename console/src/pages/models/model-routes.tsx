// Who serves a model, and how they do at the moment.

import { useQuery } from '@tanstack/react-query';
import { type ModelRoute, modelRoutesQuery } from '../../api/models.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount, formatDuration, formatPercent } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Cell, Table } from '../../ui/table.tsx';

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
];

const orDash = (figure: number | null, format: (figure: number) => string): string =>
  figure === null ? '–' : format(figure);

export function ModelRoutes({ slug }: Readonly<{ slug: string }>) {
  const query = useQuery(modelRoutesQuery(slug));
  return (
    <Card
      title="Routes"
      description="Who answers, and how they do just now. When one fails, the next one is asked."
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
              </tr>
            ))}
          </Table>
        )}
      </QueryView>
    </Card>
  );
}
