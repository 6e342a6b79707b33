// The operator's overview: what came in and what it cost, who called, and what needs attention now.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { CircleCheck, TriangleAlert } from 'lucide-react';
import { type OperatorOverview, overviewQuery } from '../../../api/operator/desk.ts';
import { Card } from '../../../ui/card.tsx';
import { formatCompact, formatCount, formatDate, formatUsd } from '../../../ui/format.ts';
import { LazyTimeChart } from '../../../ui/lazy-time-chart.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { Page } from '../../../ui/page.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { Stat, StatRow } from '../../../ui/stat.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { kindText, signedUsd } from '../../statement/entry-words.ts';
import { DaySpan } from './day-span.tsx';
import { chartPoints, daysBack, isByHour, SPANS, spanName } from './spans.ts';

export function OperatorOverviewPage() {
  const { from, to } = useSearch({ from: '/operator/overview' });
  const navigate = useNavigate({ from: '/operator/overview' });
  const today = new Date();
  const span = { from: from ?? daysBack(today, 29), to: to ?? daysBack(today, 0) };
  const query = useQuery(overviewQuery(span.from, span.to));
  const choose = (part: Readonly<{ from?: string; to?: string }>) =>
    void navigate({ search: (before) => ({ ...before, ...part }), replace: true });
  return (
    <Page title="Overview" description="Days are in UTC. Revenue equals the journal to the nano-dollar.">
      <search className="flex flex-wrap items-end gap-3">
        <Segments
          label="Span"
          options={SPANS.map(({ id, label }) => [id, label] as const)}
          value={spanName(span, today)}
          onChange={(id) => {
            const days = SPANS.find((each) => each.id === id)?.days;
            if (days !== undefined) choose({ from: daysBack(today, days - 1), to: daysBack(today, 0) });
          }}
        />
        <DaySpan from={span.from} to={span.to} onChange={choose} />
      </search>
      <QueryView query={query}>{(overview) => <Shown overview={overview} />}</QueryView>
    </Page>
  );
}

function Shown({ overview }: Readonly<{ overview: OperatorOverview }>) {
  const { totals, balances } = overview;
  return (
    <>
      <Attention matters={overview.attention} />
      <StatRow>
        <Stat label="Revenue" value={formatUsd(totals.revenueUsd)} note={`${formatUsd(totals.refundsUsd)} refunded`} />
        <Stat label="Cost" value={formatUsd(totals.costUsd)} note={`${formatUsd(totals.absorbedUsd)} unpaid`} />
        <Stat label="Margin" value={formatUsd(totals.marginUsd)} note={`${formatUsd(totals.markupUsd)} by markups`} />
        <Stat label="Balances" value={formatUsd(balances.prepaidUsd)} note={`${formatUsd(-balances.owedUsd)} owed`} />
        <Stat
          label="Calls"
          value={formatCount(totals.calls)}
          note={`${formatCount(totals.refusedCalls)} more refused`}
        />
        <Stat label="Failed" value={formatCount(totals.failedCalls)} />
        <Stat
          label="Active users"
          value={formatCount(totals.activeUsers)}
          note={`${formatCount(totals.newUsers)} new`}
        />
        <Stat label="Tokens" value={formatCompact(totals.promptTokens + totals.completionTokens)} />
      </StatRow>
      <Card title={isByHour(overview) ? 'Revenue by hour' : 'Revenue by day'}>
        <LazyTimeChart
          title="Revenue"
          lines={[{ id: 'revenue', label: 'Revenue', color: 'var(--chart-1)' }]}
          points={chartPoints(overview)}
          unit="usd"
        />
      </Card>
      <Days days={overview.byDay} />
      <Top overview={overview} />
      <Money money={overview.money} />
    </>
  );
}

/** The pages where something can be done about it; the rest is done on the machine itself. */
const REMEDIES: Readonly<Record<string, '/operator' | '/operator/catalog' | '/operator/ledger'>> = {
  routes: '/operator',
  unpriced_models: '/operator/catalog',
  restricted: '/operator/ledger',
  absorbed: '/operator/ledger',
};

function Attention({ matters }: Pick<Readonly<{ matters: OperatorOverview['attention'] }>, 'matters'>) {
  if (matters.length === 0) {
    return (
      <Notice tone="good" icon={<CircleCheck size={18} />}>
        Nothing needs attention.
      </Notice>
    );
  }
  return (
    <Notice tone="warn" icon={<TriangleAlert size={18} />}>
      <p className="font-medium">Needs attention</p>
      <ul className="mt-1 list-disc pl-4">
        {matters.map(({ kind, text }) => (
          <li key={`${kind} ${text}`}>
            {REMEDIES[kind] === undefined ? (
              text
            ) : (
              <Link to={REMEDIES[kind]} className="underline">
                {text}
              </Link>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  );
}

const FIGURES = [
  { label: 'Revenue', isNumber: true },
  { label: 'Markup', isNumber: true },
  { label: 'Calls', isNumber: true },
  { label: 'Failed', isNumber: true },
  { label: 'Tokens', isNumber: true },
];

const DAY_FIGURES = [
  { label: 'Refunds', isNumber: true },
  { label: 'Cost', isNumber: true },
  { label: 'Margin', isNumber: true },
  { label: 'Active users', isNumber: true },
];

type Row = OperatorOverview['topModels'][number];

const Figures = ({ row }: Readonly<{ row: Omit<Row, 'model'> }>) => (
  <>
    <Cell isNumber>{formatUsd(row.revenueUsd)}</Cell>
    <Cell isNumber>{formatUsd(row.markupUsd)}</Cell>
    <Cell isNumber>{formatCount(row.calls)}</Cell>
    <Cell isNumber>{formatCount(row.failedCalls)}</Cell>
    <Cell isNumber>{formatCompact(row.promptTokens + row.completionTokens)}</Cell>
  </>
);

function Days({ days }: Readonly<{ days: OperatorOverview['byDay'] }>) {
  if (days.length === 0) return null;
  return (
    <Card title="By day" isFlush>
      <div className="max-h-96 overflow-y-auto">
        <Table label="By day" columns={[{ label: 'Day' }, ...FIGURES, ...DAY_FIGURES]}>
          {days.toReversed().map((day) => (
            <tr key={day.date}>
              <Cell className="whitespace-nowrap">{formatDate(day.date)}</Cell>
              <Figures row={day} />
              <Cell isNumber>{formatUsd(day.refundsUsd)}</Cell>
              <Cell isNumber>{formatUsd(day.costUsd)}</Cell>
              <Cell isNumber>{formatUsd(day.marginUsd)}</Cell>
              <Cell isNumber>{formatCount(day.activeUsers)}</Cell>
            </tr>
          ))}
        </Table>
      </div>
    </Card>
  );
}

function Top({ overview: { topAccounts, topModels, topKeys } }: Readonly<{ overview: OperatorOverview }>) {
  if (topAccounts.length === 0) return null;
  return (
    <>
      <Card title="Largest customers" isFlush>
        <Table label="Largest customers" columns={[{ label: 'Customer' }, ...FIGURES]}>
          {topAccounts.map((row) => (
            <tr key={row.accountId}>
              <Cell className="max-w-72 wrap-anywhere">
                <AccountLink id={row.accountId} name={row.name ?? row.accountId} />
              </Cell>
              <Figures row={row} />
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Models" isFlush>
        <Table label="Models" columns={[{ label: 'Model' }, ...FIGURES]}>
          {topModels.map((row) => (
            <tr key={row.model}>
              <Cell className="max-w-72 wrap-anywhere">
                <Link to="/operator/calls" search={{ model: row.model }} className={textLinkClass}>
                  {row.model}
                </Link>
              </Cell>
              <Figures row={row} />
            </tr>
          ))}
        </Table>
      </Card>
      <Card title="Keys" isFlush>
        <Table label="Keys" columns={[{ label: 'Key' }, ...FIGURES]}>
          {topKeys.map((row) => (
            <tr key={row.keyId}>
              <Cell className="max-w-72 wrap-anywhere">
                <Link to="/operator/calls" search={{ key: row.keyId }} className={textLinkClass}>
                  {row.name ?? row.keyId}
                </Link>
                <p className="text-xs text-quiet">{row.accountName}</p>
              </Cell>
              <Figures row={row} />
            </tr>
          ))}
        </Table>
      </Card>
    </>
  );
}

function AccountLink({ id, name }: Readonly<{ id: string; name: string }>) {
  return id.startsWith('org-') ? (
    <Link to="/operator/orgs/$orgId" params={{ orgId: id }} className={textLinkClass}>
      {name}
    </Link>
  ) : (
    <Link to="/operator/users/$userId" params={{ userId: id }} className={textLinkClass}>
      {name}
    </Link>
  );
}

function Money({ money }: Readonly<{ money: OperatorOverview['money'] }>) {
  if (money.length === 0) return null;
  return (
    <Card
      title="Money of customers"
      description="What they got and what was taken back, besides the charges for their calls."
      isFlush
    >
      <Table
        label="Money of customers"
        columns={[{ label: 'What' }, { label: 'Entries', isNumber: true }, { label: 'Amount', isNumber: true }]}
      >
        {money.map(({ kind, amountUsd, entries }) => (
          <tr key={kind}>
            <Cell>{kindText(kind)}</Cell>
            <Cell isNumber>{formatCount(entries)}</Cell>
            <Cell isNumber>{signedUsd(amountUsd, formatUsd)}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
