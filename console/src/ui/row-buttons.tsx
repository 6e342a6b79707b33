// The buttons of a row that is about something which can be tried or deleted. What they are about is named for those
// who do not see the row.

import { useMutation } from '@tanstack/react-query';
import { Send, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from './button.tsx';
import { ConfirmDialog } from './confirm-dialog.tsx';

type TestButtonProps = Readonly<{ name: string; isBusy: boolean; isDisabled?: boolean; onClick: () => void }>;

export const TestButton = ({ name, isBusy, isDisabled = false, onClick }: TestButtonProps) => (
  <Button isSmall isBusy={isBusy} disabled={isDisabled} aria-label={`Test ${name}`} onClick={onClick}>
    <Send size={14} aria-hidden="true" /> Test
  </Button>
);

type DeleteButtonProps = Readonly<{
  name: string;
  verb: string;
  run: () => Promise<unknown>;
  /** What will happen. */
  children: ReactNode;
}>;

/** Asks first. */
export function DeleteButton({ name, verb, run, children }: DeleteButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const deletion = useMutation({ mutationFn: run, onSuccess: () => setOpen(false) });
  return (
    <>
      <Button
        kind="ghost"
        isSmall
        aria-label={`Delete ${name}`}
        onClick={() => {
          deletion.reset();
          setOpen(true);
        }}
      >
        <Trash2 size={16} aria-hidden="true" className="text-bad" />
      </Button>
      <ConfirmDialog
        title={`Delete ${name}?`}
        verb={verb}
        isOpen={isOpen}
        isBusy={deletion.isPending}
        error={deletion.error}
        onConfirm={() => deletion.mutate()}
        onClose={() => setOpen(false)}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
