// A dialog that asks for something and sends it. The fields are read when the form is sent; whoever opens the dialog
// again finds them as they are set there.

import type { FormEvent, ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { ErrorNotice } from './error-notice.tsx';

type FormDialogProps = Readonly<{
  title: string;
  verb: string;
  isOpen: boolean;
  isBusy: boolean;
  error: unknown;
  onSubmit: (form: FormData) => void;
  onClose: () => void;
  children: ReactNode;
}>;

export function FormDialog({ title, verb, isOpen, isBusy, error, onSubmit, onClose, children }: FormDialogProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    onSubmit(new FormData(event.currentTarget));
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={onClose}>
      <form onSubmit={submit} className="grid gap-4">
        {children}
        <ErrorNotice error={error} />
        <footer className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy}>
            {verb}
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
