// What narrows the catalog down. Bounds are offered in steps that people compare models by.

import { PURPOSES, type Purpose } from '../../api/models.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { ABILITIES, type Ability } from './abilities.ts';
import type { ModelFilter, ModelOrder } from './filter-models.ts';
import { ABILITY_WORDS, PURPOSE_WORDS } from './model-badges.tsx';

type Choice<Value extends string> = readonly [value: Value, text: string];

const capitalized = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const MADE: readonly Choice<Purpose | 'all'>[] = [
  ['all', 'Everything'],
  ...PURPOSES.map((purpose): Choice<Purpose> => [purpose, capitalized(PURPOSE_WORDS[purpose])]),
];

const INPUTS: readonly Choice<string>[] = [
  ['', 'Anything'],
  ['image', 'Images'],
  ['file', 'Files'],
  ['audio', 'Audio'],
  ['video', 'Video'],
];

const CAN: readonly Choice<Ability | ''>[] = [
  ['', 'Anything'],
  ...ABILITIES.map((ability): Choice<Ability> => [ability, ABILITY_WORDS[ability]]),
];

const PRICES: readonly Choice<string>[] = [
  ['', 'Any price'],
  ['0', 'Free'],
  ['0.5', 'Up to $0.50'],
  ['2', 'Up to $2'],
  ['5', 'Up to $5'],
];

const CONTEXTS: readonly Choice<string>[] = [
  ['0', 'Any length'],
  ['32000', 'From 32K'],
  ['128000', 'From 128K'],
  ['200000', 'From 200K'],
  ['1000000', 'From 1M'],
];

const ORDERS: readonly Choice<ModelOrder>[] = [
  ['name', 'Name'],
  ['price', 'Lowest price'],
  ['context', 'Longest context'],
  ['newest', 'Newest'],
];

type ModelFiltersProps = Readonly<{
  filter: ModelFilter;
  providers: readonly string[];
  onChange: (part: Partial<ModelFilter>) => void;
}>;

export function ModelFilters({ filter, providers, onChange }: ModelFiltersProps) {
  const makers: readonly Choice<string>[] = [['all', 'All'], ...providers.map((name): Choice<string> => [name, name])];
  return (
    <search className="grid gap-3">
      <TextField
        label="Search"
        type="search"
        placeholder="Name, provider or what it is good at"
        value={filter.text}
        onChange={(event) => onChange({ text: event.target.value })}
      />
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-4 xl:grid-cols-7">
        <Choices label="Makes" choices={MADE} value={filter.purpose} onChange={(purpose) => onChange({ purpose })} />
        <Choices label="Takes" choices={INPUTS} value={filter.input} onChange={(input) => onChange({ input })} />
        <Choices label="Can" choices={CAN} value={filter.ability} onChange={(ability) => onChange({ ability })} />
        <Choices
          label="Provider"
          choices={makers}
          value={filter.provider}
          onChange={(provider) => onChange({ provider })}
        />
        <Choices
          label="Input per 1M"
          choices={PRICES}
          value={filter.priceMax === null ? '' : String(filter.priceMax)}
          onChange={(price) => onChange({ priceMax: price === '' ? null : Number(price) })}
        />
        <Choices
          label="Context"
          choices={CONTEXTS}
          value={String(filter.contextMin)}
          onChange={(context) => onChange({ contextMin: Number(context) })}
        />
        <Choices label="Order" choices={ORDERS} value={filter.order} onChange={(order) => onChange({ order })} />
      </div>
    </search>
  );
}

type ChoicesProps<Value extends string> = Readonly<{
  label: string;
  choices: readonly Choice<Value>[];
  value: Value;
  onChange: (value: Value) => void;
}>;

function Choices<Value extends string>({ label, choices, value, onChange }: ChoicesProps<Value>) {
  return (
    <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value as Value)}>
      {choices.map(([choice, text]) => (
        <option key={choice} value={choice}>
          {text}
        </option>
      ))}
    </SelectField>
  );
}
