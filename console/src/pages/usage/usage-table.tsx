// The same figures as the chart above it, to the last digit. A row leads to its calls.

import { Link, useSearch } from '@tanstack/react-router';
import { formatCount, formatPercent, formatUsd } from '../../ui/format.ts';
import { Cell, Table } from '../../ui/table.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import type { Dimension, Metric, UsageEntry } from './usage-choice.ts';

const NAMES: Readonly<Record<Dimension, string>> = { model: 'Model', key: 'Key', app: 'App' };

type UsageTableProps = Readonly<{ entries: readonly UsageEntry[]; dimension: Dimension; metric: Metric }>;

export function UsageTable({ entries, dimension, metric }: UsageTableProps) {
  const { orgId } = useSearch({ from: '/member/usage' });
  const whole = entries.reduce((sum, entry) => sum + entry[metric], 0);
  const columns = [
    { label: NAMES[dimension] },
    { label: 'Share' },
    { label: 'Spend', isNumber: true },
    { label: 'Requests', isNumber: true },
    { label: 'Tokens', isNumber: true },
  ];
  return (
    <Table label={`Usage by ${dimension}`} columns={columns}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <Cell className="max-w-72 break-words">
            {entry.id === '' ? (
              <span className="text-quiet">{entry.label}</span>
            ) : (
              <Link to="/generations" search={{ orgId, [dimension]: entry.id }} className={textLinkClass}>
                {entry.label}
              </Link>
            )}
          </Cell>
          <Cell className="min-w-32">
            <Share part={entry[metric]} whole={whole} />
          </Cell>
          <Cell isNumber>{formatUsd(entry.spend)}</Cell>
          <Cell isNumber>{formatCount(entry.requests)}</Cell>
          <Cell isNumber>{formatCount(entry.tokens)}</Cell>
        </tr>
      ))}
    </Table>
  );
}

function Share({ part, whole }: Readonly<{ part: number; whole: number }>) {
  const share = whole === 0 ? 0 : part / whole;
  return (
    <span className="flex items-center gap-2">
      <span aria-hidden="true" className="h-1.5 w-20 shrink-0 overflow-hidden rounded-full bg-sunken">
        <span className="block h-full rounded-full bg-accent" style={{ width: `${share * 100}%` }} />
      </span>
      <span className="text-xs whitespace-nowrap text-quiet tabular-nums">{formatPercent(share)}</span>
    </span>
  );
}
