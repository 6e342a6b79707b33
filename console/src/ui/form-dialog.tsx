// A form in a dialog. Each time the dialog opens, the fields have their initial values and no earlier error is shown.

import type { ReactNode } from 'react';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Form, FormError, type Sending, SubmitButton } from './form.tsx';

type FormDialogProps<Wish> = Readonly<{
  title: string;
  verb: string;
  isOpen: boolean;
  sending: Sending<Wish> & Readonly<{ reset: () => void }>;
  read: (form: FormData) => Wish;
  onClose: () => void;
  children: ReactNode;
}>;

export function FormDialog<Wish>({ title, verb, isOpen, sending, read, onClose, children }: FormDialogProps<Wish>) {
  const close = (): void => {
    sending.reset();
    onClose();
  };
  return (
    <Dialog title={title} isOpen={isOpen} onClose={close}>
      <Form
        sending={sending}
        read={read}
        footer={
          <footer className="flex justify-end gap-2">
            <Button onClick={close}>Cancel</Button>
            <SubmitButton kind="primary">{verb}</SubmitButton>
          </footer>
        }
      >
        {children}
        <FormError />
      </Form>
    </Dialog>
  );
}
