// Functions to offer to the model, and the form of its answer: the schemas are texts, checked while typing.

import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { AreaField, TextField } from '../../ui/field.tsx';
import { isSchemaText } from './call-body.ts';
import type { OfferedFunction, Settings } from './conversation.ts';

const FUNCTIONS_MAX = 5;
const PARAMETERS =
  '{\n  "type": "object",\n  "properties": { "city": { "type": "string" } },\n  "required": ["city"]\n}';

type FunctionFieldsProps = Readonly<{ settings: Settings; onChange: (part: Partial<Settings>) => void }>;

export function FunctionFields({ settings: { functions, answerSchema }, onChange }: FunctionFieldsProps) {
  const add = (): void =>
    onChange({ functions: [...functions, { name: '', description: '', parameters: PARAMETERS }] });
  return (
    <div className="grid gap-3 sm:col-span-2">
      <SchemaField
        label="The answer follows this JSON schema"
        hint="Left empty, the model answers in words."
        value={answerSchema}
        onChange={(text) => onChange({ answerSchema: text })}
      />
      {functions.map((offered, index) => (
        <FunctionEntry
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays the same.
          key={index}
          number={index + 1}
          offered={offered}
          onChange={(part) => onChange({ functions: functions.with(index, { ...offered, ...part }) })}
          onRemove={() => onChange({ functions: functions.toSpliced(index, 1) })}
        />
      ))}
      {functions.length < FUNCTIONS_MAX && (
        <div>
          <Button isSmall onClick={add}>
            <Plus size={15} aria-hidden="true" /> Offer a function
          </Button>
        </div>
      )}
    </div>
  );
}

type FunctionEntryProps = Readonly<{
  number: number;
  offered: OfferedFunction;
  onChange: (part: Partial<OfferedFunction>) => void;
  onRemove: () => void;
}>;

function FunctionEntry({ number, offered, onChange, onRemove }: FunctionEntryProps) {
  return (
    <fieldset className="grid gap-3 rounded-lg border border-line p-3 sm:grid-cols-2">
      <legend className="px-1 text-sm font-medium">Function {number}</legend>
      <TextField label="Name" value={offered.name} onChange={(event) => onChange({ name: event.target.value })} />
      <TextField
        label="What it does"
        value={offered.description}
        onChange={(event) => onChange({ description: event.target.value })}
      />
      <div className="sm:col-span-2">
        <SchemaField
          label="Parameters, as a JSON schema"
          value={offered.parameters}
          onChange={(parameters) => onChange({ parameters })}
        />
      </div>
      <div>
        <Button kind="ghost" isSmall onClick={onRemove}>
          <Trash2 size={15} aria-hidden="true" /> Remove it
        </Button>
      </div>
    </fieldset>
  );
}

type SchemaFieldProps = Readonly<{ label: string; hint?: string; value: string; onChange: (text: string) => void }>;

function SchemaField({ label, hint, value, onChange }: SchemaFieldProps) {
  return (
    <AreaField
      label={label}
      hint={hint}
      rows={value === '' ? 2 : 5}
      className="font-mono text-xs"
      spellCheck={false}
      value={value}
      error={isSchemaText(value) ? undefined : 'This is not a JSON object yet.'}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
