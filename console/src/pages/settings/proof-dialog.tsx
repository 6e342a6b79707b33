// Asks for the password before a second factor is changed.

import { useMutation } from '@tanstack/react-query';
import type { Proof } from '../../api/factors.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

type Changed = Readonly<{ recoveryCodes: readonly string[] | null }>;

type ProofDialogProps = Readonly<{
  wish: Readonly<{ title: string; verb: string; run: (proof: Proof) => Promise<Changed> }> | null;
  onClose: () => void;
  onDone: (recoveryCodes: readonly string[] | null) => Promise<void>;
}>;

export function ProofDialog({ wish, onClose, onDone }: ProofDialogProps) {
  const change = useMutation({
    mutationFn: async (proof: Proof): Promise<Changed> => (await wish?.run(proof)) ?? { recoveryCodes: null },
    onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes),
  });
  return (
    <FormDialog
      title={wish?.title ?? ''}
      verb={wish?.verb ?? ''}
      isOpen={wish !== null}
      sending={change}
      read={proofIn}
      onClose={onClose}
    >
      <PasswordProof />
    </FormDialog>
  );
}

/** A person who signs in only through another site has no password, and leaves it empty. */
export const PasswordProof = () => (
  <TextField
    label="Your password"
    name="password"
    type="password"
    autoComplete="current-password"
    hint="Empty if you never set one."
  />
);

export function proofIn(form: FormData): Proof {
  const password = String(form.get('password') ?? '');
  return password === '' ? {} : { password };
}
