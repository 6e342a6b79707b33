// How much of a limit is used, or how far something is. Towards a limit the bar turns amber at 80 % and red at its end;
// the text beside it says the same.

import { classNames } from './class-names.ts';

type MeterProps = Readonly<{ label: string; used: number; limit: number; text: string; isProgress?: boolean }>;

export function Meter({ label, used, limit, text, isProgress = false }: MeterProps) {
  const share = limit <= 0 ? 1 : Math.min(1, used / limit);
  const tone = isProgress ? 'bg-accent' : share >= 1 ? 'bg-bad' : share >= 0.8 ? 'bg-warn' : 'bg-accent';
  return (
    <div className="grid min-w-24 gap-1">
      <meter className="sr-only" aria-label={label} min={0} max={limit} value={Math.min(used, limit)} />
      <div aria-hidden="true" className="h-1.5 overflow-hidden rounded-full bg-sunken">
        <div className={classNames('h-full rounded-full', tone)} style={{ width: `${share * 100}%` }} />
      </div>
      <span className="text-xs text-quiet tabular-nums">{text}</span>
    </div>
  );
}
