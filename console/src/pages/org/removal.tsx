// A button that removes something of the organization, after asking.

import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx';
import { useOrgChange } from './use-org-change.ts';

type RemovalProps = Readonly<{
  /** What the button is called: `Delete Blue`. */
  label: string;
  verb: string;
  done: string;
  run: () => Promise<unknown>;
  /** What will happen. */
  children: ReactNode;
  /** Shown instead of the bin. */
  text?: string;
}>;

export function Removal({ label, verb, done, run, children, text }: RemovalProps) {
  const [isOpen, setOpen] = useState(false);
  const close = (): void => setOpen(false);
  const removal = useOrgChange({ run, done, onDone: close });
  return (
    <>
      <Button
        kind={text === undefined ? 'ghost' : 'danger'}
        isSmall
        aria-label={label}
        onClick={() => {
          removal.reset();
          setOpen(true);
        }}
      >
        {text ?? <Trash2 size={16} aria-hidden="true" className="text-bad" />}
      </Button>
      <ConfirmDialog
        title={`${label}?`}
        verb={verb}
        isOpen={isOpen}
        isBusy={removal.isPending}
        error={removal.error}
        onConfirm={() => removal.mutate()}
        onClose={close}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
