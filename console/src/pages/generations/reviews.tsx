// What filters and guards decided about the call. Most calls have no such decision.

import type { Generation } from '../../api/generations.ts';
import { Badge } from '../../ui/badge.tsx';
import { Card } from '../../ui/card.tsx';
import { Cell, Table } from '../../ui/table.tsx';

const COLUMNS = [{ label: 'By' }, { label: 'About' }, { label: 'Decided' }, { label: 'Reason' }];

const TONES = { allowed: 'good', flagged: 'warn', redacted: 'warn', blocked: 'bad', no_verdict: 'warn' } as const;

const WORDS = {
  allowed: 'allowed',
  flagged: 'flagged, unchanged',
  redacted: 'redacted',
  blocked: 'blocked',
  no_verdict: 'no verdict',
} as const;

const REVIEWERS = { filter: 'content filter', guard: 'outside guard', operator: 'guard of the operator' } as const;

export function Reviews({ reviews }: Readonly<{ reviews: Generation['reviews'] }>) {
  if (reviews.length === 0) return null;
  return (
    <Card
      title="Reviews"
      description="What filters and guards decided. The texts that they were shown are not kept."
      isFlush
    >
      <Table label="Reviews" columns={COLUMNS}>
        {reviews.map(({ by, name, of, outcome, reason }) => (
          <tr key={`${by} ${name} ${of} ${outcome}`}>
            <Cell>
              <p className="font-medium">{name}</p>
              <p className="text-xs text-quiet">{REVIEWERS[by]}</p>
            </Cell>
            <Cell>{of === 'input' ? 'what was sent' : 'the answer'}</Cell>
            <Cell>
              <Badge tone={TONES[outcome]}>{WORDS[outcome]}</Badge>
            </Cell>
            <Cell className="max-w-96 break-words">{reason ?? <span className="text-quiet">none given</span>}</Cell>
          </tr>
        ))}
      </Table>
    </Card>
  );
}
