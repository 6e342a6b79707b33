// One of many, or all of them. A value from the address is offered too, even if it is unknown.

import { SelectField } from './field.tsx';

export type Choice = readonly [id: string, label: string];

type ChoicesProps = Readonly<{
  label: string;
  all: string;
  choices: readonly Choice[];
  value: string | undefined;
  onChange: (value: string | undefined) => void;
}>;

export function Choices({ label, all, choices, value, onChange }: ChoicesProps) {
  const isKnown = value === undefined || choices.some(([id]) => id === value);
  return (
    <SelectField
      label={label}
      value={value ?? ''}
      onChange={(event) => onChange(event.target.value === '' ? undefined : event.target.value)}
    >
      <option value="">{all}</option>
      {!isKnown && <option value={value}>{value}</option>}
      {choices.map(([id, text]) => (
        <option key={id} value={id}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}
