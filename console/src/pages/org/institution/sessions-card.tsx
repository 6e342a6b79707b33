// The students' sessions with what each has used. Ending one counts from the next call on.

import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type EduSession, type EduSessionFilter, eduSessionsQuery, revokeEduSession } from '../../../api/orgs/edu.ts';
import { Badge, type Tone } from '../../../ui/badge.tsx';
import { Card } from '../../../ui/card.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Form, SubmitButton } from '../../../ui/form.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { handedTo } from '../../../ui/handed-to.ts';
import { Moment } from '../../../ui/moment.tsx';
import { MoreButton } from '../../../ui/more-button.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';

const COLUMNS = [
  { label: 'Student' },
  { label: 'State' },
  { label: 'Requests', isNumber: true },
  { label: 'Tokens', isNumber: true },
  { label: 'Spent', isNumber: true },
  { label: 'Last used' },
  { label: 'Actions', isHidden: true },
];

/** Which of them are shown before anything is chosen. */
export const FIRST_SESSIONS: EduSessionFilter = { status: 'active' };

export function SessionsCard() {
  const [filter, setFilter] = useState(FIRST_SESSIONS);
  return (
    <Card title="Sessions" isFlush>
      <SessionFilters filter={filter} onChange={setFilter} />
      <SessionList filter={filter} />
    </Card>
  );
}

type SessionFiltersProps = Readonly<{ filter: EduSessionFilter; onChange: (filter: EduSessionFilter) => void }>;

function SessionFilters({ filter, onChange }: SessionFiltersProps) {
  return (
    <Form
      className="flex flex-wrap items-end gap-3 px-5 pb-4"
      sending={handedTo((email: string) => onChange({ ...filter, email }))}
      read={(form) => textIn(form, 'email')}
    >
      <SelectField
        label="State"
        value={filter.status}
        onChange={(event) => onChange({ ...filter, status: event.target.value })}
      >
        <option value="active">Active</option>
        <option value="expired">Expired</option>
        <option value="revoked">Ended</option>
        <option value="all">All</option>
      </SelectField>
      <TextField label="Address" name="email" type="email" placeholder="student@uni.example" />
      <SubmitButton>Find</SubmitButton>
    </Form>
  );
}

function SessionList({ filter }: Readonly<{ filter: EduSessionFilter }>) {
  const { id: orgId } = useOrg();
  const query = useInfiniteQuery(eduSessionsQuery(orgId, filter));
  return (
    <QueryView query={query}>
      {({ pages }) => {
        const sessions = pages.flatMap((page): readonly EduSession[] => page.sessions);
        if (sessions.length === 0) return <p className="px-5 pb-5 text-sm text-quiet">No session matches.</p>;
        return (
          <>
            <Table label="Sessions" columns={COLUMNS}>
              {sessions.map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </Table>
            <MoreButton list={query} verb="Show older ones" />
          </>
        );
      }}
    </QueryView>
  );
}

const STATES: Readonly<Record<EduSession['status'], readonly [Tone, string]>> = {
  active: ['good', 'active'],
  expired: ['neutral', 'expired'],
  revoked: ['bad', 'ended'],
};

function SessionRow({ session }: Readonly<{ session: EduSession }>) {
  const { id: orgId } = useOrg();
  const { id, email, key, status, expiresAt, lastUsedAt, usage } = session;
  const [tone, words] = STATES[status];
  return (
    <tr>
      <Cell className="max-w-64 min-w-32 wrap-anywhere">
        <span className="font-medium">{email}</span>
        <span className="block text-xs text-quiet">{key.name}</span>
      </Cell>
      <Cell>
        <Badge tone={tone}>{words}</Badge>
        <p className="mt-0.5 text-xs text-quiet">
          until <Moment at={expiresAt} />
        </p>
      </Cell>
      <Cell isNumber>{formatCount(usage.requests)}</Cell>
      <Cell isNumber>{formatCount(usage.tokens)}</Cell>
      <Cell isNumber>{formatUsd(usage.usd)}</Cell>
      <Cell>
        {lastUsedAt === null ? <span className="text-quiet">never</span> : <Moment at={lastUsedAt} isDateOnly />}
      </Cell>
      <Cell className="text-right">
        {status === 'active' && (
          <Removal
            label={`End the session of ${email}`}
            verb="End it"
            text="End"
            done="The session is ended."
            run={() => revokeEduSession(orgId, id)}
          >
            The student is refused from the next call on, and can open another session with the same key.
          </Removal>
        )}
      </Cell>
    </tr>
  );
}
