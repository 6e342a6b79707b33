// The providers that were tried, in order. A call that was answered at the first try has one line.

import type { Generation } from '../../api/generations.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { formatDuration } from '../../ui/format.ts';
import { Cell, Table } from '../../ui/table.tsx';

const COLUMNS = [
  { label: 'Provider' },
  { label: 'Outcome' },
  { label: 'Status', isNumber: true },
  { label: 'Duration', isNumber: true },
];

export function Attempts({ attempts }: Readonly<{ attempts: Generation['attempts'] }>) {
  return (
    <Card title="Attempts" description="Only the one that answered is charged." isFlush>
      <Table label="Attempts" columns={COLUMNS}>
        {attempts.map((attempt, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an attempt is known by its place alone.
          <tr key={index}>
            <Cell>{attempt.provider}</Cell>
            <Cell>
              <Badge tone={attempt.outcome === 'answered' ? 'good' : 'warn'}>
                {attempt.outcome.replaceAll('_', ' ')}
              </Badge>
            </Cell>
            <Cell isNumber>{attempt.status === 0 ? 'none' : attempt.status}</Cell>
            <Cell isNumber>{formatDuration(attempt.duration_ms)}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
