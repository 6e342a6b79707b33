// The fields of a key. Name and type are fixed once a key is made: a new key replaces an old one.

import { AreaField, SelectField, TextField } from '../../ui/field.tsx';
import { Switch } from '../../ui/switch.tsx';
import type { KeyValues } from './key-values.ts';

/** What the gateway calls the fields that it calls differently in a new key and in a change to one. */
type LimitNames = Readonly<Record<'limit' | 'period' | 'expiry', string>>;

export const NEW_NAMES: LimitNames = { limit: 'limit', period: 'limit_reset', expiry: 'expires_at' };
export const CHANGED_NAMES: LimitNames = { limit: 'spendLimitUsd', period: 'spendLimitPeriod', expiry: 'expiresAt' };

type KeyFieldsProps = Readonly<{ values: KeyValues; onChange: (part: Partial<KeyValues>) => void }>;

export function IdentityFields({ values, onChange }: KeyFieldsProps) {
  return (
    <>
      <TextField
        label="Name"
        name="name"
        required
        maxLength={200}
        placeholder="laptop, build server, …"
        value={values.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <SelectField
        label="Type"
        name="keyType"
        value={values.keyType}
        hint={
          values.keyType === 'standard'
            ? 'Calls models and reads this account.'
            : 'Manages keys and organizations. It calls no models.'
        }
        onChange={(event) => onChange({ keyType: event.target.value as KeyValues['keyType'] })}
      >
        <option value="standard">Standard</option>
        <option value="management">Management</option>
      </SelectField>
    </>
  );
}

export function LimitFields({ values, names, onChange }: KeyFieldsProps & Readonly<{ names: LimitNames }>) {
  return (
    <>
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Spend limit, USD"
          name={names.limit}
          type="number"
          min={0}
          step="any"
          placeholder="No limit"
          value={values.limit}
          onChange={(event) => onChange({ limit: event.target.value })}
        />
        <SelectField
          label="Starts again"
          name={names.period}
          value={values.period}
          disabled={values.limit === ''}
          onChange={(event) => onChange({ period: event.target.value as KeyValues['period'] })}
        >
          <option value="">Never</option>
          <option value="daily">Every day</option>
          <option value="weekly">Every week</option>
          <option value="monthly">Every month</option>
        </SelectField>
      </div>
      <TextField
        label="Expires (UTC)"
        name={names.expiry}
        type="datetime-local"
        hint="Empty: never."
        value={values.expiry}
        onChange={(event) => onChange({ expiry: event.target.value })}
      />
      <AreaField
        label="Allowed addresses"
        name="allowedCidrs"
        rows={2}
        placeholder="203.0.113.7 or 10.0.0.0/8"
        hint="One on each line. Empty: from anywhere."
        className="font-mono"
        value={values.addresses}
        onChange={(event) => onChange({ addresses: event.target.value })}
      />
      <TextField
        label="Keep answers for, seconds"
        name="cacheTtlSeconds"
        type="number"
        min={0}
        max={86400}
        step={1}
        placeholder="Not set"
        hint="The same call gets the same answer again, free of charge. 0: never, even if a call asks for it."
        value={values.cacheTtl}
        onChange={(event) => onChange({ cacheTtl: event.target.value })}
      />
      <Switch
        label="Go on at the paid price when a free model’s quota is used up"
        isOn={values.hasFreeFallback}
        onChange={(hasFreeFallback) => onChange({ hasFreeFallback })}
      />
      <Switch
        label="Switch it off at once when it is seen in public"
        isOn={values.isDisabledWhenLeaked}
        onChange={(isDisabledWhenLeaked) => onChange({ isDisabledWhenLeaked })}
      />
    </>
  );
}
