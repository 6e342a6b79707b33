// The pen at the end of a row.

import { Pencil } from 'lucide-react';
import { Button } from '../../ui/button.tsx';

export function EditButton({ label, onClick }: Readonly<{ label: string; onClick: () => void }>) {
  return (
    <Button kind="ghost" isSmall aria-label={label} onClick={onClick}>
      <Pencil size={16} aria-hidden="true" />
    </Button>
  );
}
