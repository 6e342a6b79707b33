// One tier: its models in the order they are tried. They are moved by dragging, or with the buttons beside each.

import { type DragEvent, useState } from 'react';
import {
  type AutoTable,
  type AutoTier,
  type AutoTierEntry,
  changeAutoTier,
  configQuery,
} from '../../../api/operator/config.ts';
import { Card } from '../../../ui/card.tsx';
import { ErrorNotice } from '../../../ui/error-notice.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Form, type Sending, SubmitButton } from '../../../ui/form.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { Switch } from '../../../ui/switch.tsx';
import { useMay } from '../role.tsx';
import { useOperation } from '../use-operation.ts';
import { moved } from './moved.ts';
import { TierModel } from './tier-model.tsx';

const MODELS_MAX = 6;

type TierCardProps = Readonly<{
  place: Readonly<{ table: AutoTable; tier: AutoTier; title: string }>;
  entry: AutoTierEntry | undefined;
  known: readonly string[];
}>;

export function TierCard({ place: { table, tier, title }, entry, known }: TierCardProps) {
  const isOn = entry !== undefined && (entry.enabled ?? true);
  const mayChange = useMay('owner');
  const [dragged, setDragged] = useState<number | null>(null);
  const change = useOperation({
    run: (body: AutoTierEntry) => changeAutoTier(table, tier, body),
    touches: configQuery.queryKey,
    done: `${title} is changed.`,
    on: `${table} ${tier}`,
  });
  // What was asked for last, until it is read back: the next change starts from it and undoes nothing.
  const models = (change.isPending ? change.variables.models : undefined) ?? entry?.models ?? [];
  const setModels = (next: readonly string[]): void => change.mutate({ models: [...next] });
  const drop = (event: DragEvent, index: number): void => {
    event.preventDefault();
    if (dragged !== null && dragged !== index) setModels(moved(models, dragged, index));
    setDragged(null);
  };
  return (
    <Card
      title={title}
      actions={
        <Switch
          label={`${title} is on`}
          isLabelHidden
          isOn={isOn}
          isDisabled={change.isPending || !mayChange}
          onChange={(enabled) => change.mutate({ enabled })}
        />
      }
    >
      <div className="grid grid-cols-1 gap-3">
        {models.length === 0 && <p className="text-sm text-quiet">No models: such requests go to another tier.</p>}
        <ol className="grid grid-cols-1 gap-1.5">
          {models.map((model, index) => (
            <TierModel
              key={model}
              isFixed={!mayChange}
              model={model}
              isDragged={dragged === index}
              onUp={index === 0 ? null : () => setModels(moved(models, index, index - 1))}
              onDown={index === models.length - 1 ? null : () => setModels(moved(models, index, index + 1))}
              onRemove={() => setModels(models.toSpliced(index, 1))}
              onDragStart={() => setDragged(index)}
              onDrop={(event) => drop(event, index)}
            />
          ))}
        </ol>
        <ErrorNotice error={change.error} />
        {mayChange && models.length < MODELS_MAX && (
          <AddModel title={title} known={known} models={models} change={change} />
        )}
      </div>
    </Card>
  );
}

type AddModelProps = Readonly<{
  title: string;
  known: readonly string[];
  models: readonly string[];
  change: Sending<AutoTierEntry>;
}>;

function AddModel({ title, known, models, change }: AddModelProps) {
  const listId = `models-for-${title.toLowerCase()}`;
  return (
    <Form
      sending={change}
      read={(form) => ({ models: [...models, textIn(form, 'model')] })}
      isEmptiedAfter
      className="flex items-end gap-2"
    >
      <div className="min-w-0 flex-1">
        <TextField
          label={`Model to add to ${title}`}
          isLabelHidden
          name="model"
          list={listId}
          required
          placeholder="provider/model"
        />
        <datalist id={listId}>
          {known.map((id) => (
            <option key={id} value={id} />
          ))}
        </datalist>
      </div>
      <SubmitButton>Add</SubmitButton>
    </Form>
  );
}
