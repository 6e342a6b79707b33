// How an organization pays: in advance, or once a month up to its credit line; and how many members it has room for.

import { useState } from 'react';
import type { OrgChangesBody } from '../../../../../gateway/src/contract/orgs.ts';
import { changeOrg, type OrgState, orgsKey } from '../../../api/operator/orgs.ts';
import { Card } from '../../../ui/card.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { amountText, textIn } from '../../../ui/form-values.ts';
import { useOperation } from '../use-operation.ts';

export function PlanCard({ org }: Readonly<{ org: OrgState }>) {
  const [plan, setPlan] = useState(org.billingPlan);
  const change = useOperation({
    run: (body: OrgChangesBody) => changeOrg(org.id, body),
    touches: orgsKey,
    done: 'The plan is changed.',
  });
  const read = (form: FormData): OrgChangesBody => {
    const seats = Number(textIn(form, 'seats'));
    return plan === 'monthly'
      ? { billingPlan: plan, creditLineUsd: textIn(form, 'creditLineUsd'), seats }
      : { billingPlan: plan, seats };
  };
  return (
    <Card title="Plan and seats">
      <Form sending={change} read={read}>
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
              name="creditLineUsd"
              inputMode="decimal"
              required
              defaultValue={amountText(org.creditLineUsd)}
            />
          )}
          <TextField label="Seats" name="seats" type="number" min={1} required defaultValue={org.seats} />
        </div>
        <FormError />
        <div>
          <SubmitButton>Save</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
