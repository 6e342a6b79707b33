// The people who operate this gateway, and what each of them may do.

import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import {
  appointOperator,
  changeOperator,
  dismissOperator,
  type Operator,
  operatorsKey,
  operatorsQuery,
} from '../../../api/operator/operators.ts';
import type { OperatorRole } from '../../../api/session.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ConfirmDialog } from '../../../ui/confirm-dialog.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Loading } from '../../../ui/loading.tsx';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { Allowed, useMay } from '../role.tsx';
import { useOperation } from '../use-operation.ts';

const ROLES: readonly (readonly [OperatorRole, string])[] = [
  ['read_only', 'Read only: sees all but customers’ texts'],
  ['support', 'Support: also money, keys, suspensions'],
  ['owner', 'Owner: everything'],
];

const COLUMNS = [{ label: 'Person' }, { label: 'Role' }, { label: 'Since' }, { label: 'Dismiss', isHidden: true }];

export function OperatorsPage() {
  const [isAppointing, setAppointing] = useState(false);
  return (
    <Page
      title="Operators"
      description="People who operate this gateway with their own account. The operator token still works, for scripts."
      actions={
        <Allowed least="owner">
          <Button kind="primary" onClick={() => setAppointing(true)}>
            <Plus size={16} aria-hidden="true" /> Appoint
          </Button>
        </Allowed>
      }
    >
      <OperatorList />
      <AppointDialog isOpen={isAppointing} onClose={() => setAppointing(false)} />
    </Page>
  );
}

function OperatorList() {
  const { data: operators, error, refetch } = useQuery(operatorsQuery);
  const mayChange = useMay('owner');
  const [leaving, setLeaving] = useState<Operator | null>(null);
  const change = useOperation({
    run: ({ userId, role }: Readonly<{ userId: string; role: OperatorRole }>) => changeOperator(userId, { role }),
    touches: operatorsKey,
    done: 'The role is changed.',
  });
  const dismissal = useOperation({
    run: dismissOperator,
    touches: operatorsKey,
    done: 'The operator is dismissed.',
    onDone: () => setLeaving(null),
  });
  if (error !== null) return <ErrorNotice error={error} onRetry={() => void refetch()} />;
  if (operators === undefined) return <Loading />;
  return (
    <>
      <ErrorNotice error={change.error} />
      <Card isFlush>
        <Table label="Operators" columns={COLUMNS}>
          {operators.map((operator) => (
            <tr key={operator.userId}>
              <Cell>
                <span className="font-medium">{operator.name}</span>{' '}
                {operator.suspended && <Badge tone="bad">suspended</Badge>}
                <span className="block text-quiet">{operator.email}</span>
              </Cell>
              <Cell>
                <SelectField
                  label={`Role of ${operator.name}`}
                  isLabelHidden
                  value={operator.role}
                  disabled={change.isPending || !mayChange}
                  onChange={({ target }) =>
                    change.mutate({ userId: operator.userId, role: target.value as OperatorRole })
                  }
                >
                  <RoleOptions />
                </SelectField>
              </Cell>
              <Cell>
                <Moment at={operator.createdAt} isDateOnly />
              </Cell>
              <Cell>
                {mayChange && (
                  <Button
                    kind="danger"
                    isSmall
                    aria-label={`Dismiss ${operator.name}`}
                    onClick={() => setLeaving(operator)}
                  >
                    Dismiss
                  </Button>
                )}
              </Cell>
            </tr>
          ))}
        </Table>
        {operators.length === 0 && (
          <p className="px-5 py-8 text-center text-sm text-quiet">
            Nobody yet: only the operator token opens these pages.
          </p>
        )}
      </Card>
      <ConfirmDialog
        title={`Dismiss ${leaving?.name ?? 'the operator'}?`}
        verb="Dismiss"
        isOpen={leaving !== null}
        isBusy={dismissal.isPending}
        error={dismissal.error}
        onConfirm={() => leaving !== null && dismissal.mutate(leaving.userId)}
        onClose={() => setLeaving(null)}
      >
        These pages close for them at once. Their own account stays as it is.
      </ConfirmDialog>
    </>
  );
}

const RoleOptions = () =>
  ROLES.map(([role, label]) => (
    <option key={role} value={role}>
      {label}
    </option>
  ));

function AppointDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const appointment = useOperation({
    run: appointOperator,
    touches: operatorsKey,
    done: 'The operator is appointed.',
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Appoint an operator"
      verb="Appoint"
      isOpen={isOpen}
      sending={appointment}
      read={(form) => ({ email: textIn(form, 'email'), role: textIn(form, 'role') as OperatorRole })}
      onClose={onClose}
    >
      <TextField
        label="Email"
        name="email"
        type="email"
        required
        autoComplete="off"
        hint="The address of a person who has an account here already."
      />
      <SelectField label="Role" name="role" defaultValue="support">
        <RoleOptions />
      </SelectField>
    </FormDialog>
  );
}
