// What was spent in the month, beside the budget where there is one.

import { formatUsd } from '../../ui/format.ts';
import { Meter } from '../../ui/meter.tsx';

type BudgetMeterProps = Readonly<{ name: string; spent: number; budget: number | null }>;

export function BudgetMeter({ name, spent, budget }: BudgetMeterProps) {
  if (budget === null) {
    return (
      <span className="text-sm tabular-nums">
        {formatUsd(spent)} <span className="text-quiet">no budget</span>
      </span>
    );
  }
  const text = `${formatUsd(spent)} of ${formatUsd(budget)}`;
  return <Meter label={`Spent this month of the budget of ${name}`} used={spent} limit={budget} text={text} />;
}
