// Gives back what a call was charged, once.

import { useState } from 'react';
import { refundCall } from '../../../api/operator/desk.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { Button } from '../../../ui/button.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn } from '../../../ui/form-values.ts';
import { ReasonField } from '../reason-field.tsx';
import { useOperation } from '../use-operation.ts';

export function RefundButton({ id, chargedUsd }: Readonly<{ id: string; chargedUsd: string }>) {
  const [isOpen, setOpen] = useState(false);
  const refund = useOperation({
    run: (reason: string) => refundCall(id, { reason }),
    touches: [OPERATOR_KEY],
    done: 'The call is refunded.',
    onDone: () => setOpen(false),
  });
  return (
    <>
      <Button onClick={() => setOpen(true)}>Refund</Button>
      <FormDialog
        title={`Refund $${chargedUsd}`}
        verb="Refund the call"
        isOpen={isOpen}
        sending={refund}
        read={(form) => textIn(form, 'reason')}
        onClose={() => setOpen(false)}
      >
        <ReasonField />
      </FormDialog>
    </>
  );
}
