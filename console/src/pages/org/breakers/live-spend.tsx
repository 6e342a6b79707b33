// What was spent in the minute and in the hour that run, beside what a breaker allows in them.

import type { BreakerAnswer } from '../../../../../gateway/src/contract/breaker.ts';
import { formatUsd } from '../../../ui/format.ts';
import { Meter } from '../../../ui/meter.tsx';

type LiveSpendProps = Readonly<{ breaker: Pick<BreakerAnswer, 'liveSpend' | 'resolvedSettings'> }>;

export function LiveSpend({ breaker: { liveSpend, resolvedSettings } }: LiveSpendProps) {
  const windows = [
    ['This minute', liveSpend.minuteSpend, resolvedSettings.cbMinuteUsd],
    ['This hour', liveSpend.hourSpend, resolvedSettings.cbHourlyUsd],
  ] as const;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {windows.map(([label, used, limit]) => (
        <Meter
          key={label}
          label={`Spent: ${label.toLowerCase()}`}
          used={used}
          limit={limit}
          text={`${label}: ${formatUsd(used)} of ${formatUsd(limit)}${resolvedSettings.cbEnabled ? '' : ' (not watched)'}`}
        />
      ))}
    </div>
  );
}
