// Calls in a table. The time leads to everything that is known of one.

import { Link } from '@tanstack/react-router';
import type { GenerationEntry } from '../../api/generations.ts';
import { Badge } from '../../ui/badge.tsx';
import { formatCount, formatDate, formatDuration, formatTime, formatUsd } from '../../ui/format.ts';
import { Cell, Table } from '../../ui/table.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { outcomeOf } from './outcome.ts';

const COLUMNS = [
  { label: 'Time' },
  { label: 'Model' },
  { label: 'Key and app' },
  { label: 'Outcome' },
  { label: 'Tokens', isNumber: true },
  { label: 'Duration', isNumber: true },
  { label: 'Cost', isNumber: true },
];

type GenerationTableProps = Readonly<{
  entries: readonly GenerationEntry[];
  keyNames: ReadonlyMap<string, string>;
  orgId: string | undefined;
}>;

export function GenerationTable({ entries, keyNames, orgId }: GenerationTableProps) {
  return (
    <Table label="Generations" columns={COLUMNS}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <Cell className="whitespace-nowrap">
            <Link to="/generations/$id" params={{ id: entry.id }} search={{ orgId }} className={textLinkClass}>
              {formatDate(entry.created_at)}
              <span className="block text-xs">{formatTime(entry.created_at)}</span>
            </Link>
          </Cell>
          <Cell>
            <span className="block whitespace-nowrap">{entry.model}</span>
            <span className="text-xs text-quiet">{entry.provider}</span>
          </Cell>
          <Cell>
            <span className="block whitespace-nowrap">{keyNames.get(entry.key_id) ?? entry.key_id}</span>
            {entry.app_name !== null && <span className="text-xs text-quiet">{entry.app_name}</span>}
          </Cell>
          <Cell>
            <Outcome entry={entry} />
          </Cell>
          <Cell isNumber className="whitespace-nowrap">
            {formatCount(entry.prompt_tokens)} in
            <span className="block text-xs text-quiet">{formatCount(entry.completion_tokens)} out</span>
          </Cell>
          <Cell isNumber className="whitespace-nowrap">
            {formatDuration(entry.duration_ms)}
          </Cell>
          <Cell isNumber>{formatUsd(entry.cost)}</Cell>
        </tr>
      ))}
    </Table>
  );
}

function Outcome({ entry }: Readonly<{ entry: GenerationEntry }>) {
  const { text, tone } = outcomeOf(entry);
  return <Badge tone={tone}>{text}</Badge>;
}
