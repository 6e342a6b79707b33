// Gives credit to an account. One opening of the dialog credits once, however often the button is pressed.

import { useState } from 'react';
import type { CreditBody } from '../../../../gateway/src/contract/admin.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { textIn } from '../../ui/form-values.ts';
import { newAttempt } from './new-attempt.ts';
import { useOperation } from './use-operation.ts';

type CreditButtonProps = Readonly<{
  name: string;
  touches: readonly unknown[];
  run: (body: CreditBody, idempotencyKey: string) => Promise<unknown>;
}>;

export function CreditButton({ name, touches, run }: CreditButtonProps) {
  const [attempt, setAttempt] = useState<string | null>(null);
  const credit = useOperation({
    run: (body: CreditBody) => run(body, attempt ?? newAttempt()),
    touches,
    done: 'The credit is given.',
    onDone: () => setAttempt(null),
  });
  return (
    <>
      <Button kind="primary" onClick={() => setAttempt(newAttempt())}>
        Give credit
      </Button>
      <FormDialog
        title={`Credit for ${name}`}
        verb="Give the credit"
        isOpen={attempt !== null}
        sending={credit}
        read={(form) => ({ amountUsd: textIn(form, 'amountUsd'), note: textIn(form, 'note') })}
        onClose={() => setAttempt(null)}
      >
        <TextField label="Amount, USD" name="amountUsd" inputMode="decimal" required placeholder="25.00" />
        <TextField label="Note" name="note" maxLength={500} hint="Why, for the books." />
      </FormDialog>
    </>
  );
}
