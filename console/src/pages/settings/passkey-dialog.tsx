// Adds a passkey: a name, the password, and then the browser asks for the authenticator.

import { useMutation } from '@tanstack/react-query';
import { addPasskey } from '../../api/factors.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PasswordProof, proofIn } from './proof-dialog.tsx';

type PasskeyDialogProps = Readonly<{
  isOpen: boolean;
  onClose: () => void;
  onDone: (recoveryCodes: readonly string[] | null) => Promise<void>;
}>;

export function PasskeyDialog({ isOpen, onClose, onDone }: PasskeyDialogProps) {
  const addition = useMutation({
    mutationFn: (form: FormData) => addPasskey(proofIn(form), String(form.get('name')).trim()),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  });
  return (
    <FormDialog
      title="Add a passkey"
      verb="Add the passkey"
      isOpen={isOpen}
      isBusy={addition.isPending}
      error={addition.error}
      onSubmit={addition.mutate}
      onClose={() => {
        addition.reset();
        onClose();
      }}
    >
      <TextField label="Name" name="name" required maxLength={100} placeholder="Laptop" autoComplete="off" />
      <PasswordProof />
    </FormDialog>
  );
}
