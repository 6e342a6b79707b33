// A statement: the balance before and after a span, its totals, and every entry with the balance after it. The same for
// a person, an organization and the operator; only the links of entries differ.

import { useInfiniteQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import {
  readStatementCsv,
  type Statement,
  type StatementEntry,
  type StatementSource,
  type StatementWish,
  statementQuery,
} from '../../api/statement.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { formatDate, formatDateTime, formatExactUsd } from '../../ui/format.ts';
import { Loading } from '../../ui/loading.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Segments } from '../../ui/segments.tsx';
import { ShortId } from '../../ui/short-id.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { Cell, Table } from '../../ui/table.tsx';
import { useSaving } from '../../ui/use-saving.ts';
import { aboutText, kindText, signedUsd } from './entry-words.ts';

const GROUPS = [
  ['call', 'Every call'],
  ['day', 'By day'],
] as const;

const COLUMNS = [
  { label: 'At' },
  { label: 'What' },
  { label: 'About' },
  { label: 'Reference' },
  { label: 'Amount', isNumber: true },
  { label: 'Balance', isNumber: true },
];

type StatementViewProps = Readonly<{
  source: StatementSource;
  wish: StatementWish;
  onChange: (part: StatementWish) => void;
  /** The link to the charged call. */
  linkOf: (generationId: string) => ReactNode;
}>;

/** Longer statements are downloaded as a file. */
const PRINTED_PAGES_MAX = 50;

const given = (text: string): string | undefined => (text === '' ? undefined : text);

export function StatementView({ source, wish, onChange, linkOf }: StatementViewProps) {
  const list = useInfiniteQuery(statementQuery(source, wish));
  const { save, isSaving, error } = useSaving(async () => {
    saveFile('tollgate-statement.csv', await readStatementCsv(source, wish), 'text/csv');
  });
  const printing = useSaving(async () => {
    let { hasNextPage } = list;
    for (let page = 1; hasNextPage && page < PRINTED_PAGES_MAX; page += 1) {
      ({ hasNextPage } = await list.fetchNextPage({ throwOnError: true }));
    }
    // The fetched pages have been drawn by then.
    setTimeout(() => window.print());
  });
  const first = list.data?.pages[0];
  return (
    <>
      <search className="flex flex-wrap items-end gap-3 print:hidden">
        <TextField
          label="From (UTC)"
          type="date"
          value={wish.from ?? ''}
          max={wish.to}
          onChange={(event) => onChange({ from: given(event.target.value) })}
        />
        <TextField
          label="To (UTC)"
          type="date"
          value={wish.to ?? ''}
          min={wish.from}
          onChange={(event) => onChange({ to: given(event.target.value) })}
        />
        <Segments
          label="Rows"
          options={GROUPS}
          value={wish.by === 'day' ? 'day' : 'call'}
          onChange={(by) => onChange({ by: by === 'day' ? by : undefined })}
        />
        <div className="flex gap-2">
          <Button isBusy={isSaving} onClick={save}>
            Save as CSV
          </Button>
          <Button isBusy={printing.isSaving} onClick={printing.save}>
            Print
          </Button>
        </div>
      </search>
      <ErrorNotice error={error ?? printing.error} />
      {list.error !== null && !list.isFetchNextPageError && (
        <ErrorNotice error={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.error === null && first === undefined && <Loading />}
      {first !== undefined && (
        <>
          <Sums statement={first} />
          <Card isFlush>
            <Entries entries={list.data?.pages.flatMap(({ entries }) => entries) ?? []} linkOf={linkOf} />
            <MoreButton list={list} />
          </Card>
        </>
      )}
    </>
  );
}

function Sums({ statement }: Readonly<{ statement: Statement }>) {
  const { openingBalanceUsd, closingBalanceUsd, totals } = statement;
  return (
    <StatRow>
      <Stat label="Opening balance" value={formatExactUsd(openingBalanceUsd ?? 0)} />
      {totals.map(({ kind, amountUsd }) => (
        <Stat key={kind} label={kindText(kind)} value={signedUsd(amountUsd, formatExactUsd)} />
      ))}
      <Stat label="Closing balance" value={formatExactUsd(closingBalanceUsd ?? 0)} />
    </StatRow>
  );
}

type EntriesProps = Readonly<{ entries: readonly StatementEntry[]; linkOf: (generationId: string) => ReactNode }>;

function Entries({ entries, linkOf }: EntriesProps) {
  if (entries.length === 0)
    return <p className="px-5 py-8 text-center text-sm text-quiet">There are no entries here.</p>;
  return (
    <Table label="Entries" columns={COLUMNS}>
      {entries.map((entry) => (
        <tr key={entry.id}>
          <Cell>
            {/* In UTC, as the days above and the file: paper has no tooltip that could tell another zone. */}
            {entry.calls === null ? formatDateTime(entry.at) : `${formatDate(entry.at)}, UTC`}
          </Cell>
          <Cell>{kindText(entry.kind)}</Cell>
          <Cell className="max-w-64 break-words">{aboutText(entry)}</Cell>
          <Cell className="font-mono text-xs">
            {entry.generationId === null ? <ShortId id={entry.reference ?? ''} /> : linkOf(entry.generationId)}
          </Cell>
          <Cell isNumber>{signedUsd(entry.amountUsd, formatExactUsd)}</Cell>
          <Cell isNumber>{formatExactUsd(entry.balanceUsd)}</Cell>
        </tr>
      ))}
    </Table>
  );
}
