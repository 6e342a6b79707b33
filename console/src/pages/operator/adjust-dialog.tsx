// Corrects a balance, up or down, with a reason that its holder reads. One opening of the dialog corrects once, however
// often its button sends it.

import { useState } from 'react';
import { adjustAccount } from '../../api/operator/desk.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { textIn } from '../org/form-values.ts';
import { newAttempt } from './new-attempt.ts';
import { useOperation } from './use-operation.ts';

type AdjustButtonProps = Readonly<{ kind: 'users' | 'orgs'; id: string; name: string; touches: readonly unknown[] }>;

export function AdjustButton({ kind, id, name, touches }: AdjustButtonProps) {
  const [attempt, setAttempt] = useState<string | null>(null);
  const adjust = useOperation({
    run: (form: FormData) =>
      adjustAccount(kind, id, {
        amountUsd: textIn(form, 'amount'),
        reason: textIn(form, 'reason'),
        reference: textIn(form, 'reference') || (attempt ?? newAttempt()),
      }),
    touches,
    done: 'The balance is corrected.',
    onDone: () => setAttempt(null),
  });
  return (
    <>
      <Button onClick={() => setAttempt(newAttempt())}>Adjust</Button>
      <FormDialog
        title={`Adjust the balance of ${name}`}
        verb="Adjust"
        isOpen={attempt !== null}
        isBusy={adjust.isPending}
        error={adjust.error}
        onSubmit={(form) => adjust.mutate(form)}
        onClose={() => {
          adjust.reset();
          setAttempt(null);
        }}
      >
        <TextField label="Amount, USD" name="amount" required placeholder="-5.00" hint="Below zero takes back." />
        <TextField label="Reason" name="reason" required maxLength={500} hint="It is on the statement of the holder." />
        <TextField
          label="Reference"
          name="reference"
          maxLength={200}
          hint="Of a ticket, say. The same one counts once."
        />
      </FormDialog>
    </>
  );
}
