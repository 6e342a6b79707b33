// Choosing among a vendor's models, with prices in USD per million tokens. A vendor may offer hundreds: those that the
// search finds are shown, up to a bound.

import { useState } from 'react';
import type { OfferView } from '../../../api/operator/providers.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { formatCount } from '../../../ui/format.ts';
import { Cell, Table } from '../../../ui/table.tsx';

type ModelChoiceProps = Readonly<{
  offers: readonly OfferView[];
  chosen: ReadonlySet<string>;
  onChoose: (chosen: ReadonlySet<string>) => void;
}>;

const SHOWN_MAX = 200;

const COLUMNS = [
  { label: 'Model' },
  { label: 'In, per 1M', isNumber: true },
  { label: 'Out, per 1M', isNumber: true },
  { label: 'Price from' },
];

export function ModelChoice({ offers, chosen, onChoose }: ModelChoiceProps) {
  const [search, setSearch] = useState('');
  const found = offers.filter(({ id, title }) => `${id} ${title}`.toLowerCase().includes(search.toLowerCase()));
  const priced = found.filter(({ isPriced }) => isPriced).map(({ id }) => id);
  const toggle = (id: string): void => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    onChoose(next);
  };
  return (
    <div className="grid gap-3">
      <div className="flex flex-wrap items-end gap-3">
        <div className="min-w-56 flex-1">
          <TextField label="Find a model" value={search} onChange={(event) => setSearch(event.target.value)} />
        </div>
        <Button onClick={() => onChoose(new Set([...chosen, ...priced]))}>
          All that have a price ({formatCount(priced.length)})
        </Button>
        <Button onClick={() => onChoose(new Set())}>None</Button>
      </div>
      <p className="text-sm text-quiet" role="status">
        {formatCount(chosen.size)} of {formatCount(offers.length)} chosen.
        {found.length > SHOWN_MAX && ` ${formatCount(SHOWN_MAX)} of ${formatCount(found.length)} are shown.`}
      </p>
      <div className="max-h-96 overflow-y-auto rounded-lg border border-line">
        <Table label="Models on offer" columns={COLUMNS}>
          {found.slice(0, SHOWN_MAX).map((offer) => (
            <tr key={offer.id}>
              <Cell>
                <label className="flex items-start gap-2">
                  <input
                    type="checkbox"
                    className="mt-1"
                    checked={chosen.has(offer.id)}
                    onChange={() => toggle(offer.id)}
                  />
                  <span className="min-w-0">
                    <span className="font-medium break-all">{offer.id}</span>
                    {offer.isLive && (
                      <span className="ml-2">
                        <Badge tone="good">live</Badge>
                      </span>
                    )}
                    {offer.notes.length > 0 && (
                      <span className="block text-xs text-quiet">{offer.notes.join(' ')}</span>
                    )}
                  </span>
                </label>
              </Cell>
              <Cell isNumber>{offer.pricing?.prompt ?? '–'}</Cell>
              <Cell isNumber>{offer.pricing?.completion ?? '–'}</Cell>
              <Cell>{offer.priceSource ?? <Badge tone="warn">unknown</Badge>}</Cell>
            </tr>
          ))}
        </Table>
      </div>
    </div>
  );
}
