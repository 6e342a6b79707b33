// How an organization pays: in advance, or once a month up to its credit line; and how many members it has room for.

import { type FormEvent, useState } from 'react';
import type { OrgChangesBody } from '../../../../../gateway/src/contract/orgs.ts';
import { changeOrg, type OrgState, orgsKey } from '../../../api/operator/orgs.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { amountText, textIn } from '../../org/form-values.ts';
import { useOperation } from '../use-operation.ts';

export function PlanCard({ org }: Readonly<{ org: OrgState }>) {
  const [plan, setPlan] = useState(org.billingPlan);
  const change = useOperation({
    run: (body: OrgChangesBody) => changeOrg(org.id, body),
    touches: orgsKey,
    done: 'The plan is changed.',
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const seats = Number(textIn(form, 'seats'));
    change.mutate(
      plan === 'monthly'
        ? { billingPlan: plan, creditLineUsd: textIn(form, 'line'), seats }
        : { billingPlan: plan, seats },
    );
  };
  return (
    <Card title="Plan and seats">
      <form onSubmit={submit} className="grid gap-4">
        <div className="grid gap-4 sm:grid-cols-3">
          <SelectField
            label="Plan"
            value={plan}
            onChange={(event) => setPlan(event.target.value as OrgState['billingPlan'])}
          >
            <option value="prepaid">Prepaid</option>
            <option value="monthly">Monthly</option>
          </SelectField>
          {plan === 'monthly' && (
            <TextField
              label="Credit line, USD"
              name="line"
              inputMode="decimal"
              required
              defaultValue={amountText(org.creditLineUsd)}
            />
          )}
          <TextField label="Seats" name="seats" type="number" min={1} required defaultValue={org.seats} />
        </div>
        <ErrorNotice error={change.error} />
        <div>
          <Button type="submit" isBusy={change.isPending}>
            Save
          </Button>
        </div>
      </form>
    </Card>
  );
}
