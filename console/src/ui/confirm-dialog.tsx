// Asks before something that cannot be undone. The question says what will happen, the button repeats the verb.

import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

type ConfirmProps = Readonly<{
  title: string;
  verb: string;
  isOpen: boolean;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}>;

export function ConfirmDialog({ title, verb, isOpen, isBusy, error, onConfirm, onClose, children }: ConfirmProps) {
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="text-sm text-quiet">{children}</div>
      <ErrorNotice error={error} />
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isBusy} onClick={onConfirm}>
          {verb}
        </Button>
      </footer>
    </Dialog>
  );
}
