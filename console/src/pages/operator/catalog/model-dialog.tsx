// Edits one model of the config: its name, its context and its prices. An empty price is no price. What it has besides
// stays as it is.

import type { PricingEntry } from '../../../../../gateway/src/contract/config.ts';
import type { ConfigDocument } from '../../../api/operator/config.ts';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../org/form-values.ts';
import { editedEntry } from './edited-entry.ts';

const PRICES: readonly (readonly [keyof PricingEntry, string])[] = [
  ['prompt', 'In, USD per 1M tokens'],
  ['completion', 'Out, USD per 1M tokens'],
  ['cache_read', 'Cache read, USD per 1M tokens'],
  ['cache_write', 'Cache write, USD per 1M tokens'],
  ['image', 'USD per picture'],
  ['video_second', 'USD per second of video'],
  ['audio_second', 'USD per second of audio'],
  ['character', 'USD per character'],
  ['search', 'USD per search of documents'],
  ['request', 'USD per request'],
];

type ModelDialogProps = Readonly<{
  id: string | null;
  live: ConfigDocument;
  onClose: () => void;
  onReview: (document: unknown) => void;
}>;

export function ModelDialog({ id, live, onClose, onReview }: ModelDialogProps) {
  const entry = id === null ? undefined : live.models?.[id];
  const submit = (form: FormData): void => {
    if (id === null || entry === undefined) return;
    const prices = Object.fromEntries(PRICES.map(([price]) => [price, textIn(form, price)]));
    const values = { name: textIn(form, 'name'), context: textIn(form, 'context'), prices };
    onReview({ ...live, models: { ...live.models, [id]: editedEntry(entry, values) } });
  };
  return (
    <FormDialog
      title={id ?? 'Model'}
      verb="Review the change"
      isOpen={entry !== undefined}
      isBusy={false}
      error={null}
      onSubmit={submit}
      onClose={onClose}
    >
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField label="Name" name="name" maxLength={200} defaultValue={entry?.name ?? ''} />
        <TextField
          label="Context, tokens"
          name="context"
          type="number"
          min={1}
          defaultValue={entry?.context_length ?? ''}
        />
        {PRICES.map(([price, label]) => (
          <TextField
            key={price}
            label={label}
            name={price}
            inputMode="decimal"
            pattern="\d{1,15}(\.\d{1,18})?"
            title="A plain decimal, such as 0.15"
            defaultValue={entry?.pricing?.[price] ?? ''}
          />
        ))}
      </div>
    </FormDialog>
  );
}
