// Two days to choose a span by.

import { TextField } from '../../../ui/field.tsx';

type Span = Readonly<{ from?: string | undefined; to?: string | undefined }>;
type DaySpanProps = Span & Readonly<{ onChange: (part: Readonly<{ from?: string; to?: string }>) => void }>;

const given = (text: string): string | undefined => (text === '' ? undefined : text);

export function DaySpan({ from, to, onChange }: DaySpanProps) {
  return (
    <>
      <TextField
        label="From"
        type="date"
        value={from ?? ''}
        max={to}
        onChange={(event) => onChange({ from: given(event.target.value) })}
      />
      <TextField
        label="To"
        type="date"
        value={to ?? ''}
        min={from}
        onChange={(event) => onChange({ to: given(event.target.value) })}
      />
    </>
  );
}
