// One model's answer and what it took: time to the first word, time in all, tokens, cost, and who served it.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { generationQuery } from '../../api/generations.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDuration, formatUsd } from '../../ui/format.ts';
import { Spinner } from '../../ui/spinner.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { AnswerMedia } from './answer-media.tsx';
import type { ColumnState, Outcome } from './use-column.ts';

export function AnswerColumn({ model, state }: Readonly<{ model: string; state: ColumnState | null }>) {
  const isEmpty = state === null || (state.text === '' && state.urls.length === 0 && state.error === null);
  return (
    <Card title={model} className="min-h-48">
      <div aria-live="polite" aria-busy={state?.isRunning ?? false} className="grid gap-3">
        {isEmpty && state?.isRunning !== true && <p className="text-sm text-quiet">The answer appears here.</p>}
        {state !== null && state.text !== '' && <p className="text-sm break-words whitespace-pre-wrap">{state.text}</p>}
        {state !== null && <AnswerMedia purpose={state.purpose} urls={state.urls} />}
        {state?.isRunning === true && <Spinner />}
        <ErrorNotice error={state?.error ?? null} />
      </div>
      {state !== null && state.outcome !== null && <OutcomeFacts outcome={state.outcome} />}
    </Card>
  );
}

function OutcomeFacts({ outcome }: Readonly<{ outcome: Outcome }>) {
  const { generationId, tokens, firstTextMs, totalMs } = outcome;
  // The answer does not tell who served it; the record of the call does, as soon as the call has ended.
  const { data: record } = useQuery({ ...generationQuery(generationId ?? ''), enabled: generationId !== null });
  const costUsd = outcome.costUsd ?? record?.usage.cost ?? null;
  const facts: readonly (readonly [string, string])[] = [
    ['Cost', costUsd === null ? 'unknown' : formatUsd(costUsd)],
    ...(tokens === null
      ? []
      : [['Tokens', `${formatCount(tokens.prompt)} in, ${formatCount(tokens.completion)} out`] as const]),
    ...(firstTextMs === null ? [] : [['First word', formatDuration(firstTextMs)] as const]),
    ['In all', formatDuration(totalMs)],
    ['Answered by', outcome.model ?? record?.model ?? '…'],
    ['Provider', record?.provider ?? '…'],
  ];
  return (
    <dl className="mt-4 flex flex-wrap gap-x-6 gap-y-1 border-t border-line pt-3 text-xs">
      {facts.map(([name, value]) => (
        <div key={name} className="flex gap-1.5">
          <dt className="text-quiet">{name}</dt>
          <dd className="font-medium tabular-nums">{value}</dd>
        </div>
      ))}
      {generationId !== null && (
        <div>
          <dt className="sr-only">Record</dt>
          <dd>
            <Link to="/generations/$id" params={{ id: generationId }} search={{}} className={textLinkClass}>
              See the record
            </Link>
          </dd>
        </div>
      )}
    </dl>
  );
}
