// The models that are asked, one for each column.

import { Plus } from 'lucide-react';
import type { Model } from '../../api/models.ts';
import { Button } from '../../ui/button.tsx';
import { anotherOf } from './choose-models.ts';
import { ModelChoice } from './model-choice.tsx';

const COLUMNS_MAX = 3;

type ModelChoicesProps = Readonly<{
  models: readonly Model[];
  chosen: readonly string[];
  onChange: (chosen: readonly string[]) => void;
}>;

export function ModelChoices({ models, chosen, onChange }: ModelChoicesProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2 lg:grid-cols-3">
      {chosen.map((model, index) => (
        <ModelChoice
          // Columns have no identity but their place.
          // biome-ignore lint/suspicious/noArrayIndexKey: the place is what stays the same.
          key={index}
          models={models}
          value={model}
          label={`Model ${index + 1}`}
          onChange={(id) => onChange(chosen.with(index, id))}
          onRemove={index === 0 || index < chosen.length - 1 ? null : () => onChange(chosen.slice(0, -1))}
        />
      ))}
      {chosen.length < COLUMNS_MAX && (
        <Button className="self-end" onClick={() => onChange([...chosen, anotherOf(models, chosen)])}>
          <Plus size={16} aria-hidden="true" /> Compare with another
        </Button>
      )}
    </div>
  );
}
