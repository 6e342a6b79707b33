// Changes a breaker. An empty field, and "inherit", take the value from above.

import type { BreakerBody } from '../../../../../gateway/src/contract/breaker.ts';
import { changeOrgBreaker, type OrgBreaker } from '../../../api/orgs/breakers.ts';
import type { Scope } from '../../../api/orgs/scopes.ts';
import { SelectField, TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { amountIn, amountText } from '../../../ui/form-values.ts';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';

const WATCHING = { on: true, off: false } as const;

const watchingText = (isOn: boolean | null): string => (isOn === null ? '' : isOn ? 'on' : 'off');

function wishOf(form: FormData): BreakerBody {
  const watching = form.get('cbEnabled');
  return {
    cbEnabled: watching === 'on' || watching === 'off' ? WATCHING[watching] : null,
    cbMinuteUsd: amountIn(form, 'cbMinuteUsd'),
    cbHourlyUsd: amountIn(form, 'cbHourlyUsd'),
  };
}

export function BreakerForm({ scope, breaker }: Readonly<{ scope: Scope; breaker: OrgBreaker }>) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: (body: BreakerBody) => changeOrgBreaker(orgId, scope, body),
    done: 'The breaker is saved.',
  });
  const { settings, inheritedSettings } = breaker;
  return (
    <Form sending={change} read={wishOf} className="grid gap-4 border-t border-line pt-4">
      <div className="grid gap-4 sm:grid-cols-3">
        <SelectField label="Watching" name="cbEnabled" defaultValue={watchingText(settings.cbEnabled)}>
          <option value="">Inherit ({inheritedSettings.cbEnabled.value ? 'on' : 'off'})</option>
          <option value="on">On</option>
          <option value="off">Off</option>
        </SelectField>
        <Threshold
          name="cbMinuteUsd"
          label="At most in a minute, USD"
          own={settings.cbMinuteUsd}
          placeholder={`${inheritedSettings.cbMinuteUsd.value} (inherited)`}
        />
        <Threshold
          name="cbHourlyUsd"
          label="At most in an hour, USD"
          own={settings.cbHourlyUsd}
          placeholder={`${inheritedSettings.cbHourlyUsd.value} (inherited)`}
        />
      </div>
      <FormError />
      <div>
        <SubmitButton>Save the breaker</SubmitButton>
      </div>
    </Form>
  );
}

type ThresholdProps = Readonly<{ name: string; label: string; own: number | null; placeholder: string }>;

/** What may be spent in a minute or an hour; the placeholder says what holds while the field is empty. */
export function Threshold({ own, ...field }: ThresholdProps) {
  return <TextField {...field} type="number" min={0.01} step="any" defaultValue={amountText(own)} />;
}
