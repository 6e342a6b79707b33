// The models of the config with their prices; those that cannot be called because they have no price are marked.

import { useState } from 'react';
import type { ModelEntry, PricingEntry } from '../../../../../gateway/src/contract/config.ts';
import type { ConfigDocument } from '../../../api/operator/config.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { TextField } from '../../../ui/field.tsx';
import { Switch } from '../../../ui/switch.tsx';
import { Cell, Table } from '../../../ui/table.tsx';
import { priceText } from '../../models/price-text.ts';
import { Allowed } from '../role.tsx';
import { EntryDialog } from './forms/entry-dialog.tsx';
import { schemaOf, valuesOf, withEntry } from './forms/entry-table.tsx';
import { withTypedPrices } from './typed-prices.ts';

const COLUMNS = [
  { label: 'Model' },
  { label: 'In, per 1M', isNumber: true },
  { label: 'Out, per 1M', isNumber: true },
  { label: 'Other prices' },
  { label: 'Routes' },
  { label: 'Actions', isHidden: true },
];

type ModelTableProps = Readonly<{ document: ConfigDocument; onEdit: (document: ConfigDocument) => void }>;

const hasPrice = ({ pricing = {} }: Pick<ModelEntry, 'pricing'>): boolean => Object.keys(pricing).length > 0;
const isPriced = (entry: ModelEntry): boolean => hasPrice(entry) || (entry.routes ?? []).some(hasPrice);

export function ModelTable({ document, onEdit }: ModelTableProps) {
  // Null while nothing is edited; an empty id means a new model.
  const [editedId, setEditedId] = useState<string | null>(null);
  const [isUnpricedOnly, setUnpricedOnly] = useState(false);
  const [text, setText] = useState('');
  const models = Object.entries(document.models ?? {});
  const unpriced = models.filter(([, entry]) => !isPriced(entry));
  const wanted = text.trim().toLowerCase();
  const shown = (isUnpricedOnly ? unpriced : models).filter(([id]) => id.toLowerCase().includes(wanted));
  const save = (id: string, entry: unknown): void => {
    setEditedId(null);
    onEdit(withEntry(document, 'models', id, withTypedPrices(document.models?.[id], entry)));
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end justify-between gap-3">
        <TextField
          label="Find a model"
          placeholder="vendor/name"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <Switch
          label={`Only models without a price (${unpriced.length})`}
          isOn={isUnpricedOnly}
          onChange={setUnpricedOnly}
        />
        <Allowed least="owner">
          <Button onClick={() => setEditedId('')}>Add a model</Button>
        </Allowed>
      </div>
      <Card isFlush>
        <Table label="Models" columns={COLUMNS}>
          {shown.map(([id, entry]) => (
            <ModelRow key={id} id={id} entry={entry} onEdit={() => setEditedId(id)} />
          ))}
        </Table>
        {shown.length === 0 && (
          <p className="px-5 py-8 text-center text-sm text-quiet">
            {models.length === 0 ? 'There are no models yet. Connect a provider, or add one.' : 'No model matches.'}
          </p>
        )}
      </Card>
      {editedId !== null && (
        <EntryDialog
          key={editedId}
          name={editedId === '' ? null : editedId}
          taken={models.map(([id]) => id)}
          title={editedId === '' ? 'New model' : editedId}
          nameLabel="Id, as vendor/name"
          schema={schemaOf('models')}
          values={valuesOf(document, 'models', editedId)}
          open={['pricing']}
          onSave={save}
          {...(editedId === '' ? {} : { onRemove: () => save(editedId, undefined) })}
          onClose={() => setEditedId(null)}
        />
      )}
    </div>
  );
}

const usd = (price: string | undefined): string => (price === undefined ? '–' : priceText(price));

const otherPrices = ({ prompt, completion, ...others }: PricingEntry): string =>
  Object.entries(others)
    .map(([name, price]) => `${name.replaceAll('_', ' ')} ${priceText(String(price))}`)
    .join(', ');

type ModelRowProps = Readonly<{ id: string; entry: ModelEntry; onEdit: () => void }>;

function ModelRow({ id, entry, onEdit }: ModelRowProps) {
  const routes = (entry.routes ?? []).map(({ provider }) => provider).join(', ');
  return (
    <tr>
      <Cell>
        <span className="flex flex-wrap items-center gap-1.5">
          <span className="font-medium">{id}</span>
          {!isPriced(entry) && <Badge tone="warn">no price</Badge>}
          {entry.free !== undefined && <Badge tone="good">free</Badge>}
        </span>
      </Cell>
      <Cell isNumber>{usd(entry.pricing?.prompt)}</Cell>
      <Cell isNumber>{usd(entry.pricing?.completion)}</Cell>
      <Cell className="text-xs">{otherPrices(entry.pricing ?? {})}</Cell>
      <Cell className="text-xs">{routes === '' ? 'by pattern' : routes}</Cell>
      <Cell>
        <Allowed least="owner">
          <Button isSmall aria-label={`Edit ${id}`} onClick={onEdit}>
            Edit
          </Button>
        </Allowed>
      </Cell>
    </tr>
  );
}
