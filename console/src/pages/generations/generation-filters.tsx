// What narrows the list of calls down. The choices are what the account has used within the year; a filter that came
// with the address is offered too, even if it is older.

import { useEffect, useState } from 'react';
import type { UsageAnswer } from '../../../../gateway/src/contract/usage.ts';
import type { GenerationFilter } from '../../api/generation-filters.ts';
import { Choices } from '../../ui/choices.tsx';
import { TextField } from '../../ui/field.tsx';
import { usedNames } from '../usage/used-names.ts';
import { OUTCOMES } from './outcome.ts';

type GenerationFiltersProps = Readonly<{
  filter: GenerationFilter;
  usage: UsageAnswer | null;
  onChange: (part: GenerationFilter) => void;
}>;

export function GenerationFilters({ filter, usage, onChange }: GenerationFiltersProps) {
  const { models, keys, apps } = usedNames(usage);
  return (
    <search className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Choices
        label="Outcome"
        all="All outcomes"
        choices={OUTCOMES}
        value={filter.outcome}
        onChange={(outcome) => onChange({ outcome })}
      />
      <Choices
        label="Model"
        all="All models"
        choices={models}
        value={filter.model}
        onChange={(model) => onChange({ model })}
      />
      <Choices label="Key" all="All keys" choices={keys} value={filter.key} onChange={(key) => onChange({ key })} />
      <Choices label="App" all="All apps" choices={apps} value={filter.app} onChange={(app) => onChange({ app })} />
      <DayField label="From" value={filter.from} max={filter.to} onChange={(from) => onChange({ from })} />
      <DayField label="To" value={filter.to} min={filter.from} onChange={(to) => onChange({ to })} />
      <TypedField
        label="Status"
        value={filter.status}
        pattern="[0-9]{1,3}"
        title="An HTTP status, such as 402"
        onChange={(status) => onChange({ status })}
      />
      <TypedField label="Call or request id" value={filter.id} onChange={(id) => onChange({ id })} />
    </search>
  );
}

const given = (text: string): string | undefined => (text === '' ? undefined : text);

type DayFieldProps = Readonly<{
  label: string;
  value: string | undefined;
  min?: string | undefined;
  max?: string | undefined;
  onChange: (value: string | undefined) => void;
}>;

function DayField({ label, value, min, max, onChange }: DayFieldProps) {
  return (
    <TextField
      label={label}
      type="date"
      value={value ?? ''}
      min={min}
      max={max}
      onChange={(event) => onChange(given(event.target.value))}
    />
  );
}

type TypedFieldProps = Readonly<{
  label: string;
  value: string | undefined;
  pattern?: string;
  title?: string;
  onChange: (value: string | undefined) => void;
}>;

/** Applies when the field is left or the form sent, and not with every letter. */
function TypedField({ label, value, onChange, ...rest }: TypedFieldProps) {
  const [text, setText] = useState(value ?? '');
  // What the address says counts, also after a step back. A new field instead would lose the focus.
  useEffect(() => setText(value ?? ''), [value]);
  const take = (input: HTMLInputElement): void => {
    if (input.reportValidity() && input.value.trim() !== (value ?? '')) onChange(given(input.value.trim()));
  };
  return (
    <TextField
      label={label}
      value={text}
      maxLength={100}
      onChange={(event) => setText(event.target.value)}
      onBlur={(event) => take(event.currentTarget)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') take(event.currentTarget);
      }}
      {...rest}
    />
  );
}
