// One model's answer and what it took: time to the first word, time in all, tokens, cost.

import type { ChatOutcome } from '../../api/chat-stream.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDuration, formatUsd } from '../../ui/format.ts';
import { Spinner } from '../../ui/spinner.tsx';
import type { ColumnState } from './use-column.ts';

export function AnswerColumn({ model, state }: Readonly<{ model: string; state: ColumnState | null }>) {
  return (
    <Card title={model} className="min-h-48">
      <div aria-live="polite" aria-busy={state?.isRunning ?? false} className="grid gap-3">
        {state === null || (state.text === '' && !state.isRunning && state.error === null) ? (
          <p className="text-sm text-quiet">The answer appears here.</p>
        ) : (
          <p className="text-sm break-words whitespace-pre-wrap">{state.text}</p>
        )}
        {state?.isRunning === true && <Spinner />}
        <ErrorNotice error={state?.error ?? null} />
      </div>
      {state?.outcome !== null && state !== null && <Facts outcome={state.outcome} />}
    </Card>
  );
}

function Facts({ outcome }: Readonly<{ outcome: ChatOutcome }>) {
  const { usage, firstTextMs, totalMs, model } = outcome;
  const facts: readonly (readonly [string, string])[] = [
    ['Cost', usage?.costUsd == null ? 'unknown' : formatUsd(usage.costUsd)],
    [
      'Tokens',
      usage === null ? 'unknown' : `${formatCount(usage.promptTokens)} in, ${formatCount(usage.completionTokens)} out`,
    ],
    ['First word', firstTextMs === null ? 'none' : formatDuration(firstTextMs)],
    ['In all', formatDuration(totalMs)],
    ['Answered by', model ?? 'unknown'],
  ];
  return (
    <dl className="mt-4 flex flex-wrap gap-x-6 gap-y-1 border-t border-line pt-3 text-xs">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-quiet">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
    </dl>
  );
}
