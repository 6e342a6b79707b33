// Asks before something that cannot be undone. The question says what will happen, the button repeats the verb.

import { type ReactNode, useEffect, useState } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

type ConfirmProps = Readonly<{
  title: string;
  verb: string;
  /** What leaves everything as it is, where “Cancel” could be taken for the other. */
  no?: string;
  isOpen: boolean;
  isBusy: boolean;
  error: unknown;
  onConfirm: () => void;
  onClose: () => void;
  children: ReactNode;
}>;

export function ConfirmDialog(props: ConfirmProps) {
  const { title, verb, no = 'Cancel', isOpen, isBusy, error, onConfirm, onClose, children } = props;
  // What went wrong before the dialog was opened this time belongs to another question.
  const [isAnswered, setAnswered] = useState(false);
  useEffect(() => {
    if (!isOpen) setAnswered(false);
  }, [isOpen]);
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <div className="text-sm text-quiet">{children}</div>
      <ErrorNotice error={isAnswered ? error : null} />
      <footer className="flex justify-end gap-2">
        <Button onClick={onClose}>{no}</Button>
        <Button
          kind="danger"
          isBusy={isBusy}
          onClick={() => {
            setAnswered(true);
            onConfirm();
          }}
        >
          {verb}
        </Button>
      </footer>
    </Dialog>
  );
}
