// Services of others that are asked about the organization's calls, and what they have decided lately.

import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import {
  changeGuard,
  createGuard,
  deleteGuard,
  type Guard,
  type GuardDecision,
  type GuardWish,
  guardsQuery,
} from '../../../api/orgs/guards.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Moment } from '../../../ui/moment.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { useOrg } from '../current-org.ts';
import { Removal } from '../removal.tsx';
import { useOrgChange } from '../use-org-change.ts';
import { FORMS, GUARD_ACTIONS, OUTCOME_TONES, STAGES } from './guard-words.ts';

export function GuardsCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(guardsQuery(orgId));
  const [isAdding, setAdding] = useState(false);
  return (
    <>
      <Card
        title="Guard services"
        description="Services of others that judge your calls, each within a time that you set."
        actions={
          <Button onClick={() => setAdding(true)}>
            <Plus size={16} aria-hidden="true" /> New guard
          </Button>
        }
        isFlush
      >
        <QueryView query={query}>
          {({ guards, decisions }) => (
            <>
              {guards.length === 0 ? (
                <p className="px-5 pb-5 text-sm text-quiet">No service is asked yet.</p>
              ) : (
                <GuardTable guards={guards} />
              )}
              {decisions.length > 0 && <DecisionTable decisions={decisions} />}
            </>
          )}
        </QueryView>
      </Card>
      <GuardDialog isOpen={isAdding} onClose={() => setAdding(false)} />
    </>
  );
}

const COLUMNS = [
  { label: 'Guard' },
  { label: 'Asked' },
  { label: 'Then' },
  { label: 'On' },
  { label: 'Actions', isHidden: true },
];

function GuardTable({ guards }: Readonly<{ guards: readonly Guard[] }>) {
  const { id: orgId } = useOrg();
  const switching = useOrgChange({
    run: ({ id, enabled }: Pick<Guard, 'id' | 'enabled'>) => changeGuard(orgId, id, { enabled }),
  });
  return (
    <>
      <ErrorNotice error={switching.error} />
      <Table label="Guards" columns={COLUMNS}>
        {guards.map((guard) => (
          <tr key={guard.id}>
            <Cell>
              <p className="font-medium">{guard.name}</p>
              <p className="text-xs text-quiet">
                {FORMS[guard.form]} at {guard.host}
              </p>
            </Cell>
            <Cell>{guard.stages.map((stage) => STAGES[stage]).join('; ')}</Cell>
            <Cell>
              <p>{GUARD_ACTIONS[guard.action]}</p>
              <p className="text-xs text-quiet">
                No answer in {guard.timeoutMs} ms: {guard.onFailure === 'block' ? 'blocked' : 'let pass'}
              </p>
            </Cell>
            <Cell>
              <Switch
                label={`${guard.name} is asked`}
                isLabelHidden
                isOn={guard.enabled}
                onChange={(enabled) => switching.mutate({ id: guard.id, enabled })}
              />
            </Cell>
            <Cell>
              <Removal
                label={`Delete ${guard.name}`}
                verb="Delete the guard"
                done="The guard is deleted."
                run={() => deleteGuard(orgId, guard.id)}
              >
                It is not asked from the next call on.
              </Removal>
            </Cell>
          </tr>
        ))}
      </Table>
    </>
  );
}

const DECISION_COLUMNS = [{ label: 'Lately' }, { label: 'Decision' }, { label: 'Took' }, { label: 'When' }];

function DecisionTable({ decisions }: Readonly<{ decisions: readonly GuardDecision[] }>) {
  return (
    <Table label="Decisions" columns={DECISION_COLUMNS}>
      {decisions.slice(0, 10).map((decision) => (
        <tr key={`${decision.createdAt} ${decision.guardId} ${decision.stage} ${decision.keyId}`}>
          <Cell>
            {decision.guardName}, {decision.stage}
          </Cell>
          <Cell>
            <Badge tone={OUTCOME_TONES[decision.outcome] ?? 'neutral'}>{decision.outcome.replace('_', ' ')}</Badge>
            {decision.reason !== null && <p className="mt-1 text-xs text-quiet">{decision.reason}</p>}
          </Cell>
          <Cell className="whitespace-nowrap">{decision.durationMs} ms</Cell>
          <Cell>
            <Moment at={decision.createdAt} />
          </Cell>
        </tr>
      ))}
    </Table>
  );
}

function wishOf(form: FormData): GuardWish {
  const apiKey = textIn(form, 'apiKey');
  return {
    name: textIn(form, 'name'),
    form: textIn(form, 'form') as Guard['form'],
    url: textIn(form, 'url'),
    ...(apiKey === '' ? {} : { apiKey }),
    stages: form.getAll('stages') as GuardWish['stages'],
    action: textIn(form, 'action') as Guard['action'],
    timeoutMs: Number(form.get('timeoutMs')),
    onFailure: textIn(form, 'onFailure') as Guard['onFailure'],
  };
}

function GuardDialog({ isOpen, onClose }: Readonly<{ isOpen: boolean; onClose: () => void }>) {
  const { id: orgId } = useOrg();
  const saving = useOrgChange({
    run: (wish: GuardWish) => createGuard(orgId, wish),
    done: 'The guard is added.',
    onDone: onClose,
  });
  return (
    <FormDialog title="New guard" verb="Add the guard" isOpen={isOpen} sending={saving} read={wishOf} onClose={onClose}>
      <TextField label="Name" name="name" required maxLength={100} />
      <Choice label="Kind of service" name="form" options={FORMS} />
      <TextField label="URL" name="url" type="url" required placeholder="https://guard.example/check" />
      <TextField
        label="Key"
        name="apiKey"
        type="password"
        autoComplete="off"
        hint="Sent as a bearer token. Empty: none."
      />
      <fieldset className="grid gap-2">
        <legend className="mb-1 text-sm font-medium">When it is asked</legend>
        {Object.entries(STAGES).map(([id, label]) => (
          <label key={id} className="flex items-center gap-2 text-sm">
            <input type="checkbox" name="stages" value={id} defaultChecked={id === 'before'} />
            {label}
          </label>
        ))}
      </fieldset>
      <Choice label="When it finds something" name="action" options={GUARD_ACTIONS} />
      <TextField
        label="Time limit, ms"
        name="timeoutMs"
        type="number"
        min={100}
        max={10_000}
        defaultValue="2000"
        required
      />
      <Choice
        label="When it gives no answer in time"
        name="onFailure"
        options={{ block: 'Block the call', allow: 'Let the call pass' }}
      />
    </FormDialog>
  );
}

type ChoiceProps = Readonly<{ label: string; name: string; options: Readonly<Record<string, string>> }>;

const Choice = ({ label, name, options }: ChoiceProps) => (
  <SelectField label={label} name={name}>
    {Object.entries(options).map(([id, text]) => (
      <option key={id} value={id}>
        {text}
      </option>
    ))}
  </SelectField>
);
