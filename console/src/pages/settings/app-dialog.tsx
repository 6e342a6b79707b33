// Sets up an authenticator app: the password, then the picture to scan, then a code that proves that the app has it.

import { useMutation } from '@tanstack/react-query';
import { beginTotp, confirmTotp, type TotpSecret } from '../../api/factors.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { PasswordProof, proofIn } from './proof-dialog.tsx';
import { QrCode } from './qr-code.tsx';

type AppDialogProps = Readonly<{
  isOpen: boolean;
  onClose: () => void;
  onDone: (recoveryCodes: readonly string[] | null) => Promise<void>;
}>;

export function AppDialog({ isOpen, onClose, onDone }: AppDialogProps) {
  const begin = useMutation({ mutationFn: beginTotp });
  const confirm = useMutation({
    mutationFn: confirmTotp,
    onSuccess: async ({ recoveryCodes }) => {
      begin.reset();
      await onDone(recoveryCodes);
    },
  });
  const close = (): void => {
    begin.reset();
    confirm.reset();
    onClose();
  };
  const isBegun = begin.data !== undefined;
  return (
    <FormDialog
      // The fields of the next step are others.
      key={isBegun ? 'confirm' : 'begin'}
      title="Set up an authenticator app"
      verb={isBegun ? 'Confirm the app' : 'Go on'}
      isOpen={isOpen}
      isBusy={begin.isPending || confirm.isPending}
      error={confirm.error ?? begin.error}
      onSubmit={(form) => (isBegun ? confirm.mutate(String(form.get('code'))) : begin.mutate(proofIn(form)))}
      onClose={close}
    >
      {begin.data === undefined ? <PasswordProof /> : <Scan begun={begin.data} />}
    </FormDialog>
  );
}

function Scan({ begun: { secret, uri } }: Readonly<{ begun: TotpSecret }>) {
  return (
    <>
      <p className="text-sm text-quiet">Scan this with the app, or type the secret into it.</p>
      <QrCode text={uri} label="The secret as a picture for the app" />
      <output aria-label="The secret" className="text-center font-mono text-sm break-words select-all">
        {secret.replace(/(.{4})(?=.)/g, '$1 ')}
      </output>
      <TextField
        label="Code that the app shows"
        name="code"
        inputMode="numeric"
        autoComplete="one-time-code"
        maxLength={6}
        required
      />
    </>
  );
}
