// Corrects a balance, up or down, with a reason that its holder reads. One opening of the dialog corrects once, however
// often the button is pressed.

import { useState } from 'react';
import type { AdjustmentBody } from '../../../../gateway/src/contract/adjustments.ts';
import { adjustAccount } from '../../api/operator/desk.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { textIn } from '../../ui/form-values.ts';
import { newAttempt } from './new-attempt.ts';
import { ReasonField } from './reason-field.tsx';
import { useOperation } from './use-operation.ts';

type AdjustButtonProps = Readonly<{ kind: 'users' | 'orgs'; id: string; name: string; touches: readonly unknown[] }>;

export function AdjustButton({ kind, id, name, touches }: AdjustButtonProps) {
  const [attempt, setAttempt] = useState<string | null>(null);
  const adjust = useOperation({
    run: (body: AdjustmentBody) => adjustAccount(kind, id, body),
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
        sending={adjust}
        read={(form) => ({
          amountUsd: textIn(form, 'amountUsd'),
          reason: textIn(form, 'reason'),
          reference: textIn(form, 'reference') || (attempt ?? newAttempt()),
        })}
        onClose={() => setAttempt(null)}
      >
        <TextField
          label="Amount, USD"
          name="amountUsd"
          required
          placeholder="-5.00"
          hint="A negative amount takes credit back."
        />
        <ReasonField />
        <TextField
          label="Reference"
          name="reference"
          maxLength={200}
          hint="For example the number of a ticket. The same reference counts once."
        />
      </FormDialog>
    </>
  );
}
