// The buttons of a row that is about something which can be tried or deleted. What they are about is named for those
// who do not see the row.

import { Send, Trash2 } from 'lucide-react';
import { Button } from './button.tsx';

type TestButtonProps = Readonly<{ name: string; isBusy: boolean; isDisabled?: boolean; onClick: () => void }>;

export const TestButton = ({ name, isBusy, isDisabled = false, onClick }: TestButtonProps) => (
  <Button isSmall isBusy={isBusy} disabled={isDisabled} aria-label={`Test ${name}`} onClick={onClick}>
    <Send size={14} aria-hidden="true" /> Test
  </Button>
);

export const DeleteButton = ({ name, onClick }: Readonly<{ name: string; onClick: () => void }>) => (
  <Button kind="ghost" isSmall aria-label={`Delete ${name}`} onClick={onClick}>
    <Trash2 size={16} aria-hidden="true" className="text-bad" />
  </Button>
);
