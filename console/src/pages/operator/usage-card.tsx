// What a user or an organization has used, by model, with links to the calls.

import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type AccountPeriod, accountUsageQuery } from '../../api/operator/desk.ts';
import { Card } from '../../ui/card.tsx';
import { formatCompact, formatCount, formatUsd } from '../../ui/format.ts';
import { QueryView } from '../../ui/query-view.tsx';
import { Segments } from '../../ui/segments.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

const PERIODS = [
  ['24h', '24 hours'],
  ['7d', '7 days'],
  ['30d', '30 days'],
  ['90d', '90 days'],
] as const satisfies readonly (readonly [AccountPeriod, string])[];

const COLUMNS = [
  { label: 'Model' },
  { label: 'Spend', isNumber: true },
  { label: 'Requests', isNumber: true },
  { label: 'Tokens', isNumber: true },
];

type UsageCardProps = Readonly<{
  kind: 'users' | 'orgs';
  id: string;
  /** The filter of the log of calls for them. */
  calls: Readonly<{ user?: string; org?: string }>;
}>;

export function UsageCard({ kind, id, calls }: UsageCardProps) {
  const [period, setPeriod] = useState<AccountPeriod>('30d');
  const query = useQuery(accountUsageQuery(kind, id, period));
  return (
    <Card
      title="Usage"
      actions={
        <Link to="/operator/calls" search={calls} className={textLinkClass}>
          All calls
        </Link>
      }
      isFlush
    >
      <div className="flex px-5 pb-4">
        <Segments label="Period" options={PERIODS} value={period} onChange={setPeriod} />
      </div>
      <QueryView query={query}>
        {({ totals, byModel }) =>
          byModel.length === 0 ? (
            <p className="px-5 pb-5 text-sm text-quiet">No calls in this time.</p>
          ) : (
            <Table label="Usage" columns={COLUMNS}>
              {byModel.map(({ model, spend, requests, tokens }) => (
                <tr key={model}>
                  <Cell className="max-w-72 break-words">
                    <Link to="/operator/calls" search={{ ...calls, model }} className={textLinkClass}>
                      {model}
                    </Link>
                  </Cell>
                  <Figures spend={spend} requests={requests} tokens={tokens} />
                </tr>
              ))}
              <tr className="font-medium">
                <Cell>Together</Cell>
                <Figures {...totals} />
              </tr>
            </Table>
          )
        }
      </QueryView>
    </Card>
  );
}

type FiguresProps = Readonly<{ spend: number; requests: number; tokens: number }>;

const Figures = ({ spend, requests, tokens }: FiguresProps) => (
  <>
    <Cell isNumber>{formatUsd(spend)}</Cell>
    <Cell isNumber>{formatCount(requests)}</Cell>
    <Cell isNumber>{formatCompact(tokens)}</Cell>
  </>
);
