// Which model an example names: a suitable one of the catalog, so that a copied example works.

import type { OutputModality } from '../../canonical/model.ts';
import type { Catalog } from '../../modules/catalog/catalog.ts';
import type { Clock } from '../../platform/clock.ts';

/** By output; `edit` makes pictures from pictures. */
export type ExampleModel = Exclude<OutputModality, 'audio'> | 'edit';

export type ExampleModelServices = Readonly<{ catalog: Pick<Catalog, 'current'>; clock: Clock }>;

/** Where the catalog has none, a name that says what belongs there. */
export function findExampleModel({ catalog, clock }: ExampleModelServices, kind: ExampleModel): string {
  const nowMs = clock.nowMs();
  const output = kind === 'edit' ? 'image' : kind;
  const fit = catalog.current().models.find(({ inputModalities, outputModalities, prices, retiresAtMs }) => {
    const isServed = prices !== null && (retiresAtMs === null || nowMs < retiresAtMs);
    const isFit = outputModalities.includes(output) && (kind !== 'edit' || inputModalities.includes('image'));
    return isServed && isFit;
  });
  return fit?.id ?? 'provider/model';
}
