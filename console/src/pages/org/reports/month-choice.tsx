// Which month: the last two years to choose from, and a step either way.

import { ChevronLeft, ChevronRight } from 'lucide-react';
import type { Month } from '../../../api/orgs/reports.ts';
import { Button } from '../../../ui/button.tsx';
import { SelectField } from '../../../ui/field.tsx';
import { lastMonths, monthAt, monthName, monthsBefore, monthText, parseMonth } from './months.ts';

const OFFERED = 24;

export function MonthChoice({ month, onChange }: Readonly<{ month: Month; onChange: (month: Month) => void }>) {
  const latest = monthAt(Date.now());
  const offered = lastMonths(latest, OFFERED);
  const isOffered = offered.some((candidate) => monthText(candidate) === monthText(month));
  const shown = isOffered ? offered : [month, ...offered];
  return (
    <div className="flex items-center gap-1">
      <Button kind="ghost" isSmall aria-label="The month before" onClick={() => onChange(monthsBefore(month, 1))}>
        <ChevronLeft size={18} aria-hidden="true" />
      </Button>
      <SelectField
        label="Month"
        isLabelHidden
        value={monthText(month)}
        onChange={(event) => onChange(parseMonth(event.target.value) ?? month)}
      >
        {shown.map((option) => (
          <option key={monthText(option)} value={monthText(option)}>
            {monthName(option)}
          </option>
        ))}
      </SelectField>
      <Button
        kind="ghost"
        isSmall
        aria-label="The month after"
        disabled={monthText(month) >= monthText(latest)}
        onClick={() => onChange(monthsBefore(month, -1))}
      >
        <ChevronRight size={18} aria-hidden="true" />
      </Button>
    </div>
  );
}
