// Changes a breaker. An empty field, and "inherit", take what stands above.

import type { FormEvent } from 'react';
import type { BreakerBody } from '../../../../../gateway/src/contract/breaker.ts';
import { changeOrgBreaker, type OrgBreaker } from '../../../api/orgs/breakers.ts';
import type { Scope } from '../../../api/orgs/scopes.ts';
import { Button } from '../../../ui/button.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { useOrg } from '../current-org.ts';
import { amountIn, amountText } from '../form-values.ts';
import { useOrgChange } from '../use-org-change.ts';

const WATCHING = { on: true, off: false } as const;

const watchingText = (isOn: boolean | null): string => (isOn === null ? '' : isOn ? 'on' : 'off');

export function BreakerForm({ scope, breaker }: Readonly<{ scope: Scope; breaker: OrgBreaker }>) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: (body: BreakerBody) => changeOrgBreaker(orgId, scope, body),
    done: 'The breaker is saved.',
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const watching = form.get('watching');
    change.mutate({
      cbEnabled: watching === 'on' || watching === 'off' ? WATCHING[watching] : null,
      cbMinuteUsd: amountIn(form, 'minute'),
      cbHourlyUsd: amountIn(form, 'hour'),
    });
  };
  const { settings, inheritedSettings } = breaker;
  return (
    <form onSubmit={submit} className="grid gap-4 border-t border-line pt-4">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField label="Watching" name="watching" defaultValue={watchingText(settings.cbEnabled)}>
          <option value="">Inherit ({inheritedSettings.cbEnabled.value ? 'on' : 'off'})</option>
          <option value="on">On</option>
          <option value="off">Off</option>
        </SelectField>
        <Threshold
          name="minute"
          label="At most in a minute, USD"
          own={settings.cbMinuteUsd}
          inherited={inheritedSettings.cbMinuteUsd.value}
        />
        <Threshold
          name="hour"
          label="At most in an hour, USD"
          own={settings.cbHourlyUsd}
          inherited={inheritedSettings.cbHourlyUsd.value}
        />
      </div>
      <ErrorNotice error={change.error} />
      <div>
        <Button type="submit" isBusy={change.isPending}>
          Save the breaker
        </Button>
      </div>
    </form>
  );
}

type ThresholdProps = Readonly<{ name: string; label: string; own: number | null; inherited: number }>;

function Threshold({ name, label, own, inherited }: ThresholdProps) {
  return (
    <TextField
      label={label}
      name={name}
      type="number"
      min={0.01}
      step="any"
      placeholder={`${inherited} (inherited)`}
      defaultValue={amountText(own)}
    />
  );
}
