// What an organization owes for a month, and that it has paid.

import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { StatementPaidBody } from '../../../../../gateway/src/contract/orgs.ts';
import { markPaid, type OrgState, orgsKey, type Statement, statementQuery } from '../../../api/operator/orgs.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { formatCount, formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { Allowed } from '../role.tsx';
import { useOperation } from '../use-operation.ts';

const TONES = { open: 'neutral', issued: 'warn', paid: 'good' } as const;
const COLUMNS = [{ label: 'Model' }, { label: 'Requests', isNumber: true }, { label: 'Amount', isNumber: true }];

export function StatementCard({ org }: Readonly<{ org: OrgState }>) {
  const [month, setMonth] = useState(() => new Date().toISOString().slice(0, 7));
  const query = useQuery(statementQuery(org.id, month));
  return (
    <Card title="Statement of a month" isFlush>
      <div className="max-w-52 px-5 pb-4">
        <TextField
          label="Month"
          type="month"
          required
          value={month}
          onChange={(event) => event.target.value !== '' && setMonth(event.target.value)}
        />
      </div>
      <QueryView query={query}>
        {(statement) => <StatementView org={org} month={month} statement={statement} />}
      </QueryView>
    </Card>
  );
}

type StatementViewProps = Readonly<{ org: OrgState; month: string; statement: Statement }>;

function StatementView({ org, month, statement }: StatementViewProps) {
  return (
    <>
      <div className="grid gap-4 px-5 pb-4">
        <Facts
          facts={[
            [
              'State',
              <Badge key="state" tone={TONES[statement.state]}>
                {statement.state}
              </Badge>,
            ],
            ['Total', formatUsd(statement.totalUsd)],
            ['Paid', formatUsd(statement.paidUsd)],
            ['Due', formatUsd(statement.dueUsd)],
            ...statement.payments.map(
              ({ reference, amountUsd, paidAt }) =>
                [
                  `Payment ${reference}`,
                  <span key={reference}>
                    {formatUsd(amountUsd)} at <Moment at={paidAt} />
                  </span>,
                ] as const,
            ),
          ]}
        />
        {org.billingPlan === 'monthly' && statement.dueUsd > 0 && (
          <Allowed least="support">
            <MarkPaid org={org} month={month} />
          </Allowed>
        )}
      </div>
      {statement.lines.length > 0 && (
        <Table label="Lines of the statement" columns={COLUMNS}>
          {statement.lines.map(({ model, requests, amountUsd }) => (
            <tr key={model}>
              <Cell className="break-words">{model}</Cell>
              <Cell isNumber>{formatCount(requests)}</Cell>
              <Cell isNumber>{formatUsd(amountUsd)}</Cell>
            </tr>
          ))}
        </Table>
      )}
    </>
  );
}

function MarkPaid({ org, month }: Readonly<{ org: OrgState; month: string }>) {
  const [isOpen, setOpen] = useState(false);
  const payment = useOperation({
    run: (body: StatementPaidBody) => markPaid(org.id, month, body),
    touches: orgsKey,
    done: 'The statement is marked as paid.',
    onDone: () => setOpen(false),
  });
  return (
    <div>
      <Button onClick={() => setOpen(true)}>Mark as paid</Button>
      <FormDialog
        title={`${org.name} has paid ${month}`}
        verb="Mark as paid"
        isOpen={isOpen}
        sending={payment}
        read={(form) => ({ reference: textIn(form, 'reference'), note: textIn(form, 'note') })}
        onClose={() => setOpen(false)}
      >
        <TextField
          label="Reference"
          name="reference"
          required
          maxLength={200}
          hint="Of the bank transfer, for example."
        />
        <TextField label="Note" name="note" maxLength={500} />
      </FormDialog>
    </div>
  );
}
