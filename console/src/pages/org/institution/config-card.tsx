// Which students get in, for how long, and what each session may use.

import { useQuery } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { changeEduConfig, type EduConfig, type EduConfigChanges, eduConfigQuery } from '../../../api/orgs/edu.ts';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { AreaField, controlClass, Field, TextField } from '../../../ui/field.tsx';
import { Notice } from '../../../ui/notice.tsx';
import { QueryView } from '../../../ui/query-view.tsx';
import { useOrg } from '../current-org.ts';
import { amountIn, amountText, linesIn, textIn } from '../form-values.ts';
import { useOrgChange } from '../use-org-change.ts';
import { DURATION_UNITS, durationOf, secondsOf } from './durations.ts';

export function ConfigCard() {
  const { id: orgId } = useOrg();
  const query = useQuery(eduConfigQuery(orgId));
  return (
    <Card title="Rules" description="What is changed counts for sessions that are opened from now on; quotas for all.">
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
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    change.mutate(changesOf(new FormData(event.currentTarget)));
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      {config.allowedDomains.length === 0 && (
        <Notice tone="warn">No domain is allowed yet, so no student gets in.</Notice>
      )}
      <AreaField
        label="Mail domains"
        name="domains"
        rows={2}
        placeholder="uni.example"
        hint="One on each line, without wildcards. Students at other addresses get no code."
        defaultValue={config.allowedDomains.join('\n')}
      />
      <div className="grid gap-4 sm:grid-cols-3">
        <DurationField label="A session lasts" name="session" seconds={config.sessionTtlSeconds} />
        <DurationField label="A mailed code lasts" name="code" seconds={config.verificationTtlSeconds} />
        <TextField
          label="Sessions of one address for each key"
          name="sessions"
          type="number"
          min={1}
          max={100}
          required
          defaultValue={config.maxSessionsPerEmailPerKey}
        />
      </div>
      <QuotaFields config={config} />
      <ErrorNotice error={change.error} />
      <div>
        <Button type="submit" isBusy={change.isPending}>
          Save the rules
        </Button>
      </div>
    </form>
  );
}

const changesOf = (form: FormData): EduConfigChanges => ({
  allowedDomains: linesIn(form, 'domains'),
  sessionTtlSeconds: secondsOf(amountIn(form, 'session') ?? 0, textIn(form, 'session-unit')),
  verificationTtlSeconds: secondsOf(amountIn(form, 'code') ?? 0, textIn(form, 'code-unit')),
  maxSessionsPerEmailPerKey: amountIn(form, 'sessions') ?? 1,
  maxRequests: amountIn(form, 'requests'),
  maxTokens: amountIn(form, 'tokens'),
  maxUsd: amountIn(form, 'usd'),
});

function QuotaFields({ config }: Readonly<{ config: EduConfig }>) {
  const quotas = [
    ['Requests of a session', 'requests', config.maxRequests, 1],
    ['Tokens of a session', 'tokens', config.maxTokens, 1],
    ['Spend of a session, USD', 'usd', config.maxUsd, 'any'],
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
    <Field label={label}>
      {(ids) => (
        <div className="flex gap-2">
          <input {...ids} name={name} type="number" min={1} required defaultValue={count} className={controlClass} />
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
