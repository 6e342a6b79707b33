// Sets up an authenticator app in three steps: the password, the picture to scan, and a code that proves that the app
// has the secret.

import { useMutation } from '@tanstack/react-query';
import { beginTotp, confirmTotp, type TotpSecret } from '../../api/factors.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { textIn } from '../../ui/form-values.ts';
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
  const title = 'Set up an authenticator app';
  // The second step has other fields, so it is a form of its own.
  return begin.data === undefined ? (
    <FormDialog
      key="begin"
      title={title}
      verb="Continue"
      isOpen={isOpen}
      sending={begin}
      read={proofIn}
      onClose={close}
    >
      <PasswordProof />
    </FormDialog>
  ) : (
    <FormDialog
      key="confirm"
      title={title}
      verb="Confirm the app"
      isOpen={isOpen}
      sending={confirm}
      read={(form) => textIn(form, 'code')}
      onClose={close}
    >
      <Scan begun={begin.data} />
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
