// A day as a row of bars, an hour or less each: the height shows how much, the colour how well. For screen readers it
// is one picture with a sentence, because the figures are beside it.

import { classNames } from './class-names.ts';

export type DayBar = Readonly<{
  /** Shown when pointed at. */
  label: string;
  /** From 0 to 1; null where nothing is known. */
  height: number | null;
  tone: 'good' | 'warn' | 'bad' | 'neutral';
}>;

const TONES: Readonly<Record<DayBar['tone'], string>> = {
  good: 'bg-good',
  warn: 'bg-warn',
  bad: 'bg-bad',
  neutral: 'bg-accent',
};

const HEIGHT_MIN_PERCENT = 8;

export function DayBars({ title, bars }: Readonly<{ title: string; bars: readonly DayBar[] }>) {
  return (
    <figure role="img" aria-label={title} className="m-0 flex h-8 items-end gap-px">
      {bars.map(({ label, height, tone }) => (
        <span
          key={label}
          title={label}
          className={classNames('w-1 rounded-xs xl:w-1.5', height === null ? 'bg-line' : TONES[tone])}
          style={{ height: `${height === null ? HEIGHT_MIN_PERCENT : Math.max(height * 100, HEIGHT_MIN_PERCENT)}%` }}
        />
      ))}
    </figure>
  );
}
