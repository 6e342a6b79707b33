// Why the auto router chose this model.

import type { Generation } from '../../api/generations.ts';
import { Card } from '../../ui/card.tsx';
import { Facts } from '../../ui/facts.tsx';
import { formatPercent } from '../../ui/format.ts';

export function AutoChoice({ auto }: Readonly<{ auto: NonNullable<Generation['auto']> }>) {
  return (
    <Card title="Why this model" description="You asked for the auto router. This is what it saw in the prompt.">
      <div className="max-w-md">
        <Facts
          facts={[
            ['Table', auto.table],
            ['Tier', auto.promoted_from === null ? auto.tier : `${auto.tier}, raised from ${auto.promoted_from}`],
            ['Confidence', formatPercent(auto.confidence)],
            ...auto.signals.map(({ name, weight }): [string, string] => [name, weight.toFixed(2)]),
          ]}
        />
      </div>
    </Card>
  );
}
