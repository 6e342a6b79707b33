// The last day of one route, in a dialog: calls, failures and speed.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type RouteHistory, routeHistoryQuery } from '../../../api/operator/system.ts';
import { Button } from '../../../ui/button.tsx';
import { DayBars } from '../../../ui/day-bars.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { formatCount, formatDuration, formatPercent } from '../../../ui/format.ts';
import { QueryView } from '../../../ui/query-view.tsx';
import { figureBars, uptimeBars } from '../../models/route-day.ts';

export function RouteHistoryButton({ provider, upstreamModel }: Readonly<{ provider: string; upstreamModel: string }>) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button isSmall aria-label={`24 h of ${provider} ${upstreamModel}`} onClick={() => setOpen(true)}>
        24 h
      </Button>
      <Dialog title={`${provider}, ${upstreamModel}`} isOpen={isOpen} onClose={() => setOpen(false)}>
        {isOpen && <Day provider={provider} upstreamModel={upstreamModel} />}
      </Dialog>
    </>
  );
}

function Day({ provider, upstreamModel }: Readonly<{ provider: string; upstreamModel: string }>) {
  const query = useQuery(routeHistoryQuery(provider, upstreamModel));
  return <QueryView query={query}>{(history) => <DayFigures history={history} />}</QueryView>;
}

function DayFigures({ history: { points, spanSeconds } }: Readonly<{ history: RouteHistory }>) {
  const nowMs = Date.now();
  const spanMs = spanSeconds * 1_000;
  const sum = (of: (point: RouteHistory['points'][number]) => number): number =>
    points.reduce((total, point) => total + of(point), 0);
  const calls = sum((point) => point.calls);
  const failures = sum((point) => point.failures);
  if (calls === 0) return <p className="text-left text-sm text-quiet">Nothing was asked of it in the last 24 hours.</p>;
  const answered = formatPercent(1 - failures / calls);
  const shares = points.map(({ at, calls: all, failures: lost }) => ({
    at,
    uptime: all === 0 ? null : 1 - lost / all,
  }));
  return (
    <dl className="grid gap-4 overflow-x-auto text-left text-sm">
      <div>
        <dt className="text-quiet">
          Answered: {answered} of {formatCount(calls)} calls, {formatCount(failures)} failed
        </dt>
        <dd className="m-0 mt-1">
          <DayBars title={`Answered over the last 24 hours: ${answered}`} bars={uptimeBars(shares, spanMs, nowMs)} />
        </dd>
      </div>
      <div>
        <dt className="text-quiet">Latency</dt>
        <dd className="m-0 mt-1">
          <DayBars
            title="Latency over the last 24 hours"
            bars={figureBars(points, { of: (point) => point.latencyMs, format: formatDuration }, spanMs, nowMs)}
          />
        </dd>
      </div>
      <div>
        <dt className="text-quiet">Tokens a second</dt>
        <dd className="m-0 mt-1">
          <DayBars
            title="Tokens a second over the last 24 hours"
            bars={figureBars(
              points,
              { of: (point) => point.tokensPerSecond, format: (speed) => formatCount(Math.round(speed)) },
              spanMs,
              nowMs,
            )}
          />
        </dd>
      </div>
    </dl>
  );
}
