// Adds a passkey: a name, the password, and then the browser asks for the authenticator.

import { useMutation } from '@tanstack/react-query';
import { addPasskey, type Proof } from '../../api/factors.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { textIn } from '../../ui/form-values.ts';
import { PasswordProof, proofIn } from './proof-dialog.tsx';

type PasskeyDialogProps = Readonly<{
  isOpen: boolean;
  onClose: () => void;
  onDone: (recoveryCodes: readonly string[] | null) => Promise<void>;
}>;

export function PasskeyDialog({ isOpen, onClose, onDone }: PasskeyDialogProps) {
  const addition = useMutation({
    mutationFn: ({ proof, name }: Readonly<{ proof: Proof; name: string }>) => addPasskey(proof, name),
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  });
  return (
    <FormDialog
      title="Add a passkey"
      verb="Add the passkey"
      isOpen={isOpen}
      sending={addition}
      read={(form) => ({ proof: proofIn(form), name: textIn(form, 'name') })}
      onClose={onClose}
    >
      <TextField label="Name" name="name" required maxLength={100} placeholder="Laptop" autoComplete="off" />
      <PasswordProof />
    </FormDialog>
  );
}
