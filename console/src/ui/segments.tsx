// A choice of a few, all of them visible. They are radio buttons, so that arrow keys move between them.

import { useId } from 'react';
import { classNames } from './class-names.ts';

type SegmentsProps<Value extends string> = Readonly<{
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
}>;

export function Segments<Value extends string>({ label, options, value, onChange }: SegmentsProps<Value>) {
  const name = useId();
  return (
    <fieldset className="flex max-w-full flex-wrap gap-0.5 rounded-lg border border-line bg-sunken p-0.5">
      <legend className="sr-only">{label}</legend>
      {options.map(([option, text]) => (
        <label
          key={option}
          className={classNames(
            'cursor-pointer rounded-md px-3 py-1.5 text-sm font-medium has-focus-visible:outline-2 has-focus-visible:outline-accent',
            option === value ? 'bg-surface text-ink shadow-sm' : 'text-quiet hover:text-ink',
          )}
        >
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === value}
            onChange={() => onChange(option)}
            className="sr-only"
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}
