// The conversation with one model, and the figures of each answer: time to the first word, total time, tokens, cost,
// and provider.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { generationQuery } from '../../api/generations.ts';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatDuration, formatUsd } from '../../ui/format.ts';
import { Markdown } from '../../ui/markdown.tsx';
import { Spinner } from '../../ui/spinner.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { AnswerMedia } from './answer-media.tsx';
import type { FunctionResult, Question } from './conversation.ts';
import { FunctionResults } from './function-results.tsx';
import type { Answer, Outcome, Turn } from './use-column.ts';

type AnswerColumnProps = Readonly<{
  model: string;
  turns: readonly Turn[];
  onResults: (results: readonly FunctionResult[]) => void;
}>;

export function AnswerColumn({ model, turns, onResults }: AnswerColumnProps) {
  return (
    <Card title={model} className="min-h-48">
      <div className="grid grid-cols-1 gap-5">
        {turns.length === 0 && <p className="text-sm text-quiet">The answer appears here.</p>}
        {turns.map(({ question, answer }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are never moved.
          <div key={index} className="grid grid-cols-1 gap-3">
            <Asked question={question} />
            <Said answer={answer} />
            {index === turns.length - 1 && !answer.isRunning && answer.calls.length > 0 && (
              <FunctionResults calls={answer.calls} onResults={onResults} />
            )}
          </div>
        ))}
      </div>
    </Card>
  );
}

function Asked({ question: { text, pictures, results } }: Readonly<{ question: Question }>) {
  return (
    <div className="grid grid-cols-1 gap-2 rounded-lg bg-sunken px-3 py-2 text-sm">
      {text !== '' && <p className="break-words whitespace-pre-wrap">{text}</p>}
      {results.map((result) => (
        <p key={result.callId} className="font-mono text-xs break-words whitespace-pre-wrap">
          {result.text}
        </p>
      ))}
      {pictures.length > 0 && (
        <p className="flex flex-wrap gap-2">
          {pictures.map((url, index) => (
            <img key={url} src={url} alt={`Sent ${index + 1}`} className="h-16 rounded" />
          ))}
        </p>
      )}
    </div>
  );
}

function Said({ answer }: Readonly<{ answer: Answer }>) {
  return (
    <div>
      <div aria-live="polite" aria-busy={answer.isRunning} className="grid grid-cols-1 gap-3">
        {answer.text !== '' && <Markdown text={answer.text} />}
        <AnswerMedia purpose={answer.purpose} urls={answer.urls} />
        {answer.calls.map(({ id, name, arguments: parameters }) => (
          <p key={id} className="rounded-lg border border-line px-3 py-2 font-mono text-xs break-words">
            {name}({parameters})
          </p>
        ))}
        {answer.isRunning && <Spinner />}
        <ErrorNotice error={answer.error} />
      </div>
      {answer.outcome !== null && <OutcomeFacts outcome={answer.outcome} />}
    </div>
  );
}

function OutcomeFacts({ outcome }: Readonly<{ outcome: Outcome }>) {
  const { generationId, tokens, firstTextMs, totalMs } = outcome;
  // The answer does not name the provider; the record of the call does, as soon as the call has ended.
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
