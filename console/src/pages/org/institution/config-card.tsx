// Which students may start a session, for how long, and what each session may use.

import { useQuery } from '@tanstack/react-query';
import { changeEduConfig, type EduConfig, type EduConfigChanges, eduConfigQuery } from '../../../api/orgs/edu.ts';
import { Card } from '../../../ui/card.tsx';
import { AreaField, controlClass, Field, TextField } from '../../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../../ui/form.tsx';
import { amountIn, amountText, linesIn, textIn } from '../../../ui/form-values.ts';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { useOrgChange } from '../use-org-change.ts';
import { DURATION_UNITS, durationOf, secondsOf } from './durations.ts';

export function ConfigCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(eduConfigQuery(orgId));
  return (
    <Card
      title="Rules"
      description="Changes count for sessions that are opened from now on; changes of quotas count for all sessions."
    >
      <QueryView query={query}>{(config) => <ConfigForm config={config} />}</QueryView>
    </Card>
  );
}

function ConfigForm({ config }: Readonly<{ config: EduConfig }>) {
  const { id: orgId } = useOrg();
  const change = useOrgChange({
    run: (body: EduConfigChanges) => changeEduConfig(orgId, body),
    done: 'The rules are saved.',
  });
  return (
    <Form sending={change} read={changesOf}>
      {config.allowedDomains.length === 0 && (
        <Notice tone="warn">No domain is allowed yet, so no student gets in.</Notice>
      )}
      <AreaField
        label="Mail domains"
        name="allowedDomains"
        rows={2}
        placeholder="uni.example"
        hint="One on each line, without wildcards. Students at other addresses get no code."
        defaultValue={config.allowedDomains.join('\n')}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <DurationField label="A session lasts" name="sessionTtlSeconds" seconds={config.sessionTtlSeconds} />
        <DurationField
          label="A mailed code lasts"
          name="verificationTtlSeconds"
          seconds={config.verificationTtlSeconds}
        />
        <TextField
          label="Sessions of one address for each key"
          name="maxSessionsPerEmailPerKey"
          type="number"
          min={1}
          max={100}
          required
          defaultValue={config.maxSessionsPerEmailPerKey}
        />
      </div>
      <QuotaFields config={config} />
      <FormError />
      <div>
        <SubmitButton>Save the rules</SubmitButton>
      </div>
    </Form>
  );
}

const changesOf = (form: FormData): EduConfigChanges => ({
  allowedDomains: linesIn(form, 'allowedDomains'),
  sessionTtlSeconds: secondsOf(amountIn(form, 'sessionTtlSeconds') ?? 0, textIn(form, 'sessionTtlSeconds-unit')),
  verificationTtlSeconds: secondsOf(
    amountIn(form, 'verificationTtlSeconds') ?? 0,
    textIn(form, 'verificationTtlSeconds-unit'),
  ),
  maxSessionsPerEmailPerKey: amountIn(form, 'maxSessionsPerEmailPerKey') ?? 1,
  maxRequests: amountIn(form, 'maxRequests'),
  maxTokens: amountIn(form, 'maxTokens'),
  maxUsd: amountIn(form, 'maxUsd'),
});

function QuotaFields({ config }: Readonly<{ config: EduConfig }>) {
  const quotas = [
    ['Requests of a session', 'maxRequests', config.maxRequests, 1],
    ['Tokens of a session', 'maxTokens', config.maxTokens, 1],
    ['Spend of a session, USD', 'maxUsd', config.maxUsd, 'any'],
  ] as const;
  return (
    <div className="grid gap-4 sm:grid-cols-3">
      {quotas.map(([label, name, value, step]) => (
        <TextField
          key={name}
          label={label}
          name={name}
          type="number"
          min={step === 1 ? 1 : 0}
          step={step}
          placeholder="No limit"
          defaultValue={amountText(value)}
        />
      ))}
    </div>
  );
}

type DurationFieldProps = Readonly<{ label: string; name: string; seconds: number }>;

function DurationField({ label, name, seconds }: DurationFieldProps) {
  const { count, unit } = durationOf(seconds);
  return (
    <Field label={label} name={name}>
      {(ids) => (
        <div className="flex gap-2">
          <input {...ids} type="number" min={1} required defaultValue={count} className={controlClass} />
          <select name={`${name}-unit`} aria-label={`${label}: unit`} defaultValue={unit} className={controlClass}>
            {DURATION_UNITS.map((option) => (
              <option key={option} value={option}>
                {option}
              </option>
            ))}
          </select>
        </div>
      )}
    </Field>
  );
}
