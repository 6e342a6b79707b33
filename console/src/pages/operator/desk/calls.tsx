// The log of all calls, answered, failed and refused. Its filters are in the address, so that a link shows the same.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type ChangeEvent, useEffect, useState } from 'react';
import type { CallFilter } from '../../../api/operator/call-filters.ts';
import { callsQuery, type LoggedCall, readCallsCsv } from '../../../api/operator/desk.ts';
import { isStudent, studentName } from '../../../api/students.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Form, SubmitButton } from '../../../ui/form.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { formatCount, formatDuration, formatUsd } from '../../../ui/format.ts';
import { handedTo } from '../../../ui/handed-to.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedTable } from '../../../ui/paged-table.tsx';
import { saveFile } from '../../../ui/save-file.ts';
import { ShortId } from '../../../ui/short-id.tsx';
import { Cell } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { useSaving } from '../../../ui/use-saving.ts';
import { loggedOutcome, OUTCOMES } from '../../generations/outcome.ts';

const TEXT_FIELDS = [
  ['user', 'User id or email'],
  ['org', 'Organization id'],
  ['key', 'Key id'],
  ['model', 'Model'],
  ['provider', 'Provider'],
  ['app', 'App'],
  ['status', 'Status'],
  ['id', 'Call or request id'],
] as const;

const COLUMNS = [
  { label: 'At' },
  { label: 'Outcome' },
  { label: 'Who' },
  { label: 'Model' },
  { label: 'Cost', isNumber: true },
  { label: 'Took', isNumber: true },
];

function filterIn(form: FormData): CallFilter {
  const names = [...TEXT_FIELDS.map(([name]) => name), 'outcome', 'from', 'to'] as const;
  return Object.fromEntries(names.map((name) => [name, textIn(form, name) || undefined]));
}

export function CallsPage() {
  const filter = useSearch({ from: '/operator/calls' });
  const navigate = useNavigate({ from: '/operator/calls' });
  const [typed, setTyped] = useState<CallFilter>(filter);
  // What the address says counts, also after a step back. A new form instead would lose the focus.
  const applied = JSON.stringify(filter);
  useEffect(() => setTyped(JSON.parse(applied) as CallFilter), [applied]);
  const field = (name: keyof CallFilter) => ({
    name,
    value: typed[name] ?? '',
    onChange: ({ target }: ChangeEvent<HTMLInputElement | HTMLSelectElement>) =>
      setTyped((before) => ({ ...before, [name]: target.value })),
  });
  const { save, isSaving, error } = useSaving(async () => {
    saveFile('tollgate-calls.csv', await readCallsCsv(filter), 'text/csv');
  });
  return (
    <Page
      title="Calls"
      description="The calls of all accounts, the newest first. Shows the last 31 days unless you choose other dates."
      actions={
        <Button isBusy={isSaving} onClick={save}>
          Save as CSV
        </Button>
      }
    >
      <ErrorNotice error={error} />
      <Form
        className="grid grid-cols-2 items-end gap-3 lg:grid-cols-4 xl:grid-cols-6"
        sending={handedTo((search: CallFilter) => void navigate({ search }))}
        read={filterIn}
      >
        <SelectField label="Outcome" {...field('outcome')}>
          <option value="">All</option>
          {OUTCOMES.map(([outcome, words]) => (
            <option key={outcome} value={outcome}>
              {words}
            </option>
          ))}
        </SelectField>
        {TEXT_FIELDS.map(([name, label]) => (
          <TextField key={name} label={label} {...field(name)} />
        ))}
        <TextField label="From" type="date" {...field('from')} />
        <TextField label="To" type="date" {...field('to')} />
        <div className="col-span-full flex gap-2">
          <SubmitButton kind="primary">Show</SubmitButton>
          <Button
            onClick={() => {
              setTyped({});
              void navigate({ search: {} });
            }}
          >
            Clear
          </Button>
        </div>
      </Form>
      <CallList filter={filter} />
    </Page>
  );
}

function CallList({ filter }: Readonly<{ filter: CallFilter }>) {
  const list = useInfiniteQuery(callsQuery(filter));
  return (
    <PagedTable
      list={list}
      label="Calls"
      columns={COLUMNS}
      rowsOf={({ calls }) => calls}
      empty={list.hasNextPage ? 'None among the newest calls. There may be older ones.' : 'There are no such calls.'}
    >
      {(call) => <CallRow key={`${call.at} ${call.id}`} call={call} />}
    </PagedTable>
  );
}

function CallRow({ call }: Readonly<{ call: LoggedCall }>) {
  const { text, tone } = loggedOutcome(call);
  return (
    <tr>
      <Cell>
        <Moment at={call.at} />
        <p className="font-mono text-xs text-quiet">
          {call.generationId === null ? (
            <ShortId id={call.id} />
          ) : (
            <Link to="/operator/explain" search={{ id: call.generationId }} className={textLinkClass}>
              <ShortId id={call.generationId} />
            </Link>
          )}
        </p>
      </Cell>
      <Cell>
        <Badge tone={tone}>{text}</Badge>
        {call.count > 1 && <span className="ml-1 text-xs text-quiet">× {formatCount(call.count)}</span>}
        {call.message !== null && (
          <p className="mt-1 max-w-md min-w-28 text-xs wrap-anywhere text-quiet">{call.message}</p>
        )}
      </Cell>
      <Cell className="max-w-40 xl:max-w-56">
        <Who call={call} />
        {call.keyName !== null && (
          <p className="truncate text-xs text-quiet" title={call.keyName}>
            {call.keyName}
          </p>
        )}
      </Cell>
      <Cell className="min-w-32 max-w-56 wrap-anywhere">
        {call.model ?? '–'}
        {call.provider !== null && <p className="text-xs text-quiet">{call.provider}</p>}
      </Cell>
      <Cell isNumber>{formatUsd(call.costUsd)}</Cell>
      <Cell isNumber>{formatDuration(call.durationMs)}</Cell>
    </tr>
  );
}

/** A student has no page; the institution that pays has one. */
function Who({ call: { userId, userEmail, accountId, accountName } }: Readonly<{ call: LoggedCall }>) {
  if (userId === null) return 'unknown caller';
  if (isStudent(userId) && accountId !== null) {
    return (
      <p className="truncate" title={userId}>
        {studentName(userId)},{' '}
        <Link to="/operator/orgs/$orgId" params={{ orgId: accountId }} className={textLinkClass}>
          {accountName ?? accountId}
        </Link>
      </p>
    );
  }
  return (
    <p className="truncate" title={userEmail ?? userId}>
      <Link to="/operator/users/$userId" params={{ userId }} className={textLinkClass}>
        {userEmail ?? userId}
      </Link>
    </p>
  );
}
