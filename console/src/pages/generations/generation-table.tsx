// Calls in a table. The time links to everything that is known of a call; a refused call shows what the client was
// told.

import { Link } from '@tanstack/react-router';
import type { LoggedCall } from '../../api/generations.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatCount, formatDuration, formatUsd } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { type Sorting, sortHeading } from '../../ui/sorting.ts';
import { Cell, Table } from '../../ui/table.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { loggedOutcome } from './outcome.ts';
import type { CallSort } from './sorted-calls.ts';

type GenerationTableProps = Readonly<{
  calls: readonly LoggedCall[];
  orgId: string | undefined;
  sorting: Sorting<CallSort>;
  onSort: (sort: string) => void;
}>;

export function GenerationTable({ calls, orgId, sorting, onSort }: GenerationTableProps) {
  const heading = (sort: CallSort) => sortHeading(sorting, sort, onSort);
  const columns = [
    { label: 'Time', sort: heading('at') },
    { label: 'Model', sort: heading('model') },
    { label: 'Key and app' },
    { label: 'Outcome' },
    { label: 'Tokens', isNumber: true, sort: heading('tokens') },
    { label: 'Duration', isNumber: true, sort: heading('duration') },
    { label: 'Cost', isNumber: true, sort: heading('cost') },
  ];
  return (
    <Table label="Generations" columns={columns}>
      {calls.map((call) => (
        <tr key={`${call.at} ${call.id}`}>
          <Cell>
            <When call={call} orgId={orgId} />
          </Cell>
          <Cell className="max-w-64">
            <span className="block min-w-24 wrap-anywhere">{call.model ?? '–'}</span>
            {call.provider !== null && <span className="text-xs text-quiet">{call.provider}</span>}
          </Cell>
          <Cell className="max-w-32 xl:max-w-48">
            <span className="block truncate" title={call.keyName ?? call.keyId ?? ''}>
              {call.keyName ?? call.keyId}
            </span>
            {call.appName !== null && (
              <span className="block truncate text-xs text-quiet" title={call.appName}>
                {call.appName}
              </span>
            )}
            {orgId !== undefined && (
              <span className="block truncate text-xs text-quiet" title={call.userEmail ?? ''}>
                {call.userEmail}
              </span>
            )}
          </Cell>
          <Cell>
            <Outcome call={call} />
          </Cell>
          <Cell isNumber className="whitespace-nowrap">
            <Tokens call={call} />
          </Cell>
          <Cell isNumber className="whitespace-nowrap">
            {formatDuration(call.durationMs)}
          </Cell>
          <Cell isNumber>{formatUsd(call.costUsd)}</Cell>
        </tr>
      ))}
    </Table>
  );
}

function When({ call, orgId }: Readonly<{ call: LoggedCall; orgId: string | undefined }>) {
  if (call.outcome === 'refused' || call.generationId === null) return <Moment at={call.at} />;
  return (
    <Link to="/generations/$id" params={{ id: call.generationId }} search={{ orgId }} className={textLinkClass}>
      <Moment at={call.at} />
    </Link>
  );
}

function Outcome({ call }: Readonly<{ call: LoggedCall }>) {
  const { text, tone } = loggedOutcome(call);
  return (
    <>
      <Badge tone={tone}>{text}</Badge>
      {call.count > 1 && <span className="ml-1 text-xs text-quiet">× {formatCount(call.count)}</span>}
      {call.message !== null && (
        <p className="mt-1 max-w-md min-w-28 text-xs wrap-anywhere text-quiet">{call.message}</p>
      )}
    </>
  );
}

function Tokens({ call: { promptTokens, completionTokens } }: Readonly<{ call: LoggedCall }>) {
  if (promptTokens === null || completionTokens === null) return '–';
  return (
    <>
      {formatCount(promptTokens)} in
      <span className="block text-xs text-quiet">{formatCount(completionTokens)} out</span>
    </>
  );
}
