// A month without calls.

import { ChartColumn } from 'lucide-react';
import { Card } from '../../../ui/card.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';

export function NothingSpent() {
  return (
    <Card>
      <EmptyState icon={<ChartColumn size={22} />} title="Nothing was spent">
        Calls made with keys of the organization appear here as soon as they are answered. Choose another month, or make
        a call.
      </EmptyState>
    </Card>
  );
}
