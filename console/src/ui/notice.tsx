// A message that is no error: a state, a hint, a result that stays.

import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

type NoticeTone = 'neutral' | 'good' | 'warn';

const TONES: Readonly<Record<NoticeTone, string>> = {
  neutral: 'bg-sunken text-ink',
  good: 'bg-good-soft text-good',
  warn: 'bg-warn-soft text-warn',
};

type NoticeProps = Readonly<{ tone?: NoticeTone; icon?: ReactNode; children: ReactNode }>;

export function Notice({ tone = 'neutral', icon, children }: NoticeProps) {
  return (
    <div role="status" className={classNames('flex gap-3 rounded-lg px-4 py-3 text-sm', TONES[tone])}>
      {icon !== undefined && (
        <span aria-hidden="true" className="mt-0.5 shrink-0">
          {icon}
        </span>
      )}
      <div className="min-w-0 break-words">{children}</div>
    </div>
  );
}
