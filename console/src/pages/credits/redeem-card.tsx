// Redeems a code for credit. The typed text stays until the code was accepted.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { redeemCode } from '../../api/codes.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { formatUsd } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';

export function RedeemCard({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const queryClient = useQueryClient();
  const redemption = useMutation({
    mutationFn: (code: string) => redeemCode(code, orgId),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  return (
    <Card title="Redeem a code">
      <Form sending={redemption} read={(form) => textIn(form, 'code')} className="grid gap-3">
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-48 flex-1 sm:max-w-md">
            <TextField label="Code" name="code" required maxLength={100} autoComplete="off" spellCheck={false} />
          </div>
          <SubmitButton>Redeem</SubmitButton>
        </div>
        <FormError />
        {redemption.data !== undefined && (
          <Notice tone="good">
            {redemption.data.repeated
              ? `You have redeemed this code before. Your balance is ${formatUsd(redemption.data.balanceUsd)}.`
              : `${formatUsd(redemption.data.amountUsd)} were added. Your balance is ${formatUsd(redemption.data.balanceUsd)}.`}
          </Notice>
        )}
      </Form>
    </Card>
  );
}
