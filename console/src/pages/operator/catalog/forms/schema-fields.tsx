// Fields for a part of the config document, by its schema. Nested parts are folded until they are opened, so that a
// form begins with what is changed most.

import { Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../../../ui/button.tsx';
import { SelectField, TextField } from '../../../../ui/field.tsx';
import {
  entrySchema,
  hintOf,
  isDeep,
  isValues,
  keysOf,
  kindOf,
  labelOf,
  type Schema,
  textsOf,
  type Values,
  withValue,
  wordsOf,
} from './schema.ts';

type PartProps<Value> = Readonly<{
  label: string;
  schema: Schema;
  value: Value | undefined;
  /** The document is refused without it. */
  isRequired?: boolean;
  onChange: (value: unknown) => void;
}>;

type FieldsProps = Readonly<{
  schema: Schema;
  values: Values;
  /** Parts that come first and are open. */
  open?: readonly string[];
  /** Nothing of it is set, so the document does not have it, and nothing in it is required. */
  isAbsent?: boolean;
  onChange: (values: Values) => void;
}>;

export function SchemaFields({ schema, values, open = [], isAbsent = false, onChange }: FieldsProps) {
  const parts = keysOf(schema, values).map((key) => {
    const part = schema.properties?.[key] ?? entrySchema(schema);
    const label = labelOf(key, part, schema);
    const isRequired = !isAbsent && (schema.required?.includes(key) ?? false);
    return {
      key,
      label,
      schema: part,
      isRequired,
      change: (value: unknown) => onChange(withValue(values, key, value)),
    };
  });
  const deep = (isFirst: boolean) =>
    parts
      .filter(({ key, schema: part }) => isDeep(part) && open.includes(key) === isFirst)
      .map(({ key, label, schema: part, change }) => (
        <Deep key={key} {...{ label, schema: part, value: values[key], onChange: change }} isOpen={isFirst} />
      ));
  return (
    <div className="grid gap-3">
      {deep(true)}
      <div className="grid items-start gap-3 empty:hidden sm:grid-cols-2">
        {parts
          .filter((part) => !isDeep(part.schema))
          .map(({ key, label, schema: part, isRequired, change }) => (
            <Plain key={key} {...{ label, schema: part, value: values[key], isRequired, onChange: change }} />
          ))}
      </div>
      {deep(false)}
    </div>
  );
}

function Plain(part: PartProps<unknown>) {
  const { label, schema, value, isRequired, onChange } = part;
  const hint = hintOf(schema);
  switch (kindOf(schema)) {
    case 'choice':
    case 'flag':
      return <Choice {...part} />;
    case 'number':
      return (
        <TextField
          label={label}
          type="number"
          value={value === undefined ? '' : String(value)}
          hint={hint}
          required={isRequired}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      );
    case 'words':
    case 'flags':
      return <Words {...part} />;
    case 'either':
      return <Either {...part} />;
    default:
      return (
        <TextField
          label={label}
          value={value === undefined ? '' : String(value)}
          hint={hint}
          required={isRequired}
          {...(schema.pattern === undefined
            ? {}
            : { pattern: schema.pattern, title: wordsOf(schema.description ?? '') })}
          autoComplete="off"
          onChange={({ target }) => onChange(target.value === '' ? undefined : target.value)}
        />
      );
  }
}

function Choice({ label, schema, value, isRequired, onChange }: PartProps<unknown>) {
  const isFlag = schema.type === 'boolean';
  const choices = isFlag ? ['true', 'false'] : (schema.enum ?? []);
  return (
    <SelectField
      label={label}
      value={value === undefined ? '' : String(value)}
      required={isRequired}
      onChange={({ target }) => {
        if (target.value === '') onChange(undefined);
        else onChange(isFlag ? target.value === 'true' : target.value);
      }}
    >
      <option value="">{isRequired ? 'Choose one' : 'Default'}</option>
      {choices.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </SelectField>
  );
}

/**
 * The typed text stays as it is, and the value is read from it. Where the value is not what was typed, another entry of
 * a list has come to this place.
 */
function useTyped(value: unknown, read: (text: string) => unknown, textOf: (value: unknown) => string) {
  const [typed, setTyped] = useState('');
  const isTyped = JSON.stringify(read(typed)) === JSON.stringify(value);
  return [isTyped ? typed : textOf(value), setTyped] as const;
}

function Words({ label, schema, value, isRequired, onChange }: PartProps<unknown>) {
  const known = schema.items?.enum;
  const isNumbers = schema.items?.type === 'integer';
  const read = (typed: string): unknown => {
    const words = textsOf(typed);
    return words.length === 0 ? undefined : isNumbers ? words.map(Number) : words;
  };
  const [text, setText] = useTyped(value, read, (list) => (Array.isArray(list) ? list.join(', ') : ''));
  return (
    <TextField
      label={label}
      value={text}
      hint={known === undefined ? 'Separated by commas.' : `Of ${known.join(', ')}; separated by commas.`}
      required={isRequired}
      onChange={({ target }) => {
        setText(target.value);
        onChange(read(target.value));
      }}
    />
  );
}

/** A text, or a mapping that is written as JSON. */
function Either({ label, schema, value, isRequired, onChange }: PartProps<unknown>) {
  const [text, setText] = useTyped(value, readEither, (either) =>
    isValues(either) ? JSON.stringify(either) : String(either ?? ''),
  );
  return (
    <TextField
      label={label}
      value={text}
      hint={schema.description === undefined ? undefined : `${wordsOf(schema.description)}, as JSON.`}
      required={isRequired}
      onChange={({ target }) => {
        setText(target.value);
        onChange(readEither(target.value));
      }}
    />
  );
}

function readEither(text: string): unknown {
  if (text === '') return undefined;
  try {
    return text.startsWith('{') ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}

function Deep({ isOpen, ...part }: PartProps<unknown> & Readonly<{ isOpen: boolean }>) {
  const [isShown, setShown] = useState(isOpen);
  const count = countOf(part.value);
  return (
    <details
      open={isShown}
      onToggle={({ currentTarget }) => setShown(currentTarget.open)}
      className="rounded-lg border border-line"
    >
      <summary className="cursor-pointer px-4 py-2.5 text-sm font-medium">
        {part.label}
        {count > 0 && <span className="ml-2 font-normal text-quiet">{count}</span>}
      </summary>
      {isShown && (
        <div className="border-t border-line p-4">
          <DeepContent {...part} />
        </div>
      )}
    </details>
  );
}

const countOf = (value: unknown): number => {
  if (Array.isArray(value)) return value.length;
  return isValues(value) ? Object.keys(value).length : 0;
};

function DeepContent({ label, schema, value, onChange }: PartProps<unknown>) {
  const kind = kindOf(schema);
  if (kind === 'list') return <List {...{ label, schema, onChange }} value={Array.isArray(value) ? value : []} />;
  const values = isValues(value) ? value : {};
  const change = (changed: Values): void => onChange(Object.keys(changed).length === 0 ? undefined : changed);
  if (kind === 'entries') return <Entries {...{ label, schema, values, onChange: change }} />;
  return <SchemaFields {...{ schema, values, onChange: change }} isAbsent={Object.keys(values).length === 0} />;
}

function List({ label, schema, value = [], onChange }: PartProps<readonly unknown[]>) {
  const change = (items: readonly unknown[]): void => onChange(items.length === 0 ? undefined : items);
  return (
    <div className="grid gap-4">
      {value.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have no identity but their place.
        <fieldset key={index} className="grid gap-3 border-l-2 border-line pl-3">
          <legend className="text-xs text-quiet">
            {label} {index + 1}
          </legend>
          <SchemaFields
            schema={schema.items ?? {}}
            values={isValues(item) ? item : {}}
            onChange={(changed) => change(value.with(index, changed))}
          />
          <RemoveButton name={`${label} ${index + 1}`} onClick={() => change(value.toSpliced(index, 1))} />
        </fieldset>
      ))}
      <AddButton onClick={() => change([...value, {}])} />
    </div>
  );
}

type EntriesProps = Readonly<{ label: string; schema: Schema; values: Values; onChange: (values: Values) => void }>;

/** Entries whose names the operator gives; a name is given once. */
function Entries({ label, schema, values, onChange }: EntriesProps) {
  const [name, setName] = useState('');
  const entry = entrySchema(schema);
  const isPlain = !isDeep(entry);
  const add = (): void => {
    onChange(withValue(values, name.trim(), isPlain ? '' : {}));
    setName('');
  };
  return (
    <div className="grid gap-4">
      {Object.entries(values).map(([key, value]) => (
        <fieldset key={key} className="grid gap-3 border-l-2 border-line pl-3">
          <legend className="text-sm font-medium">{key}</legend>
          {isPlain ? (
            <Plain
              label={`${label}, ${key}`}
              schema={entry}
              value={value}
              onChange={(changed) => onChange({ ...values, [key]: changed ?? '' })}
            />
          ) : (
            <SchemaFields
              schema={entry}
              values={isValues(value) ? value : {}}
              onChange={(changed) => onChange({ ...values, [key]: changed })}
            />
          )}
          <RemoveButton name={key} onClick={() => onChange(withValue(values, key, undefined))} />
        </fieldset>
      ))}
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-48 flex-1">
          <TextField
            label={`New name, ${label.toLowerCase()}`}
            value={name}
            onChange={({ target }) => setName(target.value)}
          />
        </div>
        <AddButton isDisabled={name.trim() === '' || Object.hasOwn(values, name.trim())} onClick={add} />
      </div>
    </div>
  );
}

const AddButton = ({ isDisabled = false, onClick }: Readonly<{ isDisabled?: boolean; onClick: () => void }>) => (
  <div>
    <Button isSmall disabled={isDisabled} onClick={onClick}>
      <Plus size={14} aria-hidden="true" /> Add
    </Button>
  </div>
);

const RemoveButton = ({ name, onClick }: Readonly<{ name: string; onClick: () => void }>) => (
  <div>
    <Button isSmall aria-label={`Remove ${name}`} onClick={onClick}>
      <Trash2 size={14} aria-hidden="true" /> Remove
    </Button>
  </div>
);
