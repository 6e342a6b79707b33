// Which model answers in a column. Models are grouped by what they make.

import { Trash2 } from 'lucide-react';
import { type Model, purposeOf } from '../../api/models.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import type { PlayPurpose } from './call-body.ts';

const GROUPS: readonly (readonly [PlayPurpose, string])[] = [
  ['text', 'Text'],
  ['image', 'Pictures'],
  ['audio', 'Speech'],
];

type ModelChoiceProps = Readonly<{
  models: readonly Model[];
  value: string;
  label: string;
  onChange: (id: string) => void;
  onRemove: (() => void) | null;
}>;

export function ModelChoice({ models, value, label, onChange, onRemove }: ModelChoiceProps) {
  const groups = GROUPS.map(([purpose, title]) => ({
    title,
    members: models.filter((model) => purposeOf(model) === purpose),
  })).filter(({ members }) => members.length > 0);
  return (
    <div className="flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <SelectField label={label} value={value} onChange={(event) => onChange(event.target.value)}>
          {groups.map(({ title, members }) => (
            <optgroup key={title} label={title}>
              {members.map((model) => (
                <option key={model.id} value={model.id}>
                  {model.name}
                </option>
              ))}
            </optgroup>
          ))}
        </SelectField>
      </div>
      {onRemove !== null && (
        <Button aria-label={`Remove ${label.toLowerCase()}`} onClick={onRemove}>
          <Trash2 size={16} aria-hidden="true" />
        </Button>
      )}
    </div>
  );
}
