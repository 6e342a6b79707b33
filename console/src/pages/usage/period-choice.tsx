// Which days. Choosing "custom" begins with the last thirty.

import type { UsagePeriod } from '../../../../gateway/src/contract/usage.ts';
import { TextField } from '../../ui/field.tsx';
import { Segments } from '../../ui/segments.tsx';
import { PERIODS } from './usage-choice.ts';

const DAY_MS = 86_400_000;
const CUSTOM_DAYS = 30;

const dayText = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

type Days = Readonly<{ from?: string | undefined; to?: string | undefined }>;

type PeriodChoiceProps = Days &
  Readonly<{ period: UsagePeriod; onChange: (part: Days & Readonly<{ period?: UsagePeriod }>) => void }>;

export function PeriodChoice({ period, from, to, onChange }: PeriodChoiceProps) {
  const choose = (chosen: UsagePeriod): void => {
    if (chosen !== 'custom') {
      onChange({ period: chosen, from: undefined, to: undefined });
      return;
    }
    const nowMs = Date.now();
    onChange({ period: chosen, from: dayText(nowMs - (CUSTOM_DAYS - 1) * DAY_MS), to: dayText(nowMs) });
  };
  return (
    <div className="flex flex-wrap items-end gap-3">
      <Segments label="Period" options={PERIODS} value={period} onChange={choose} />
      {period === 'custom' && (
        <>
          <TextField
            label="From"
            type="date"
            value={from ?? ''}
            max={to}
            onChange={(event) => onChange({ from: event.target.value || undefined })}
          />
          <TextField
            label="To"
            type="date"
            value={to ?? ''}
            min={from}
            onChange={(event) => onChange({ to: event.target.value || undefined })}
          />
        </>
      )}
    </div>
  );
}
