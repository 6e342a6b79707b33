// A code becomes credit. What was typed stays until it was taken.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { redeemCode } from '../../api/codes.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { formatUsd } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';

export function RedeemCard({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const queryClient = useQueryClient();
  const redemption = useMutation({
    mutationFn: (code: string) => redeemCode(code, orgId),
    onSuccess: () => queryClient.invalidateQueries(),
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    redemption.mutate(String(new FormData(event.currentTarget).get('code')).trim());
  };
  return (
    <Card title="Redeem a code">
      <form onSubmit={submit} className="grid gap-3">
        <div className="flex flex-wrap items-end gap-3">
          <div className="min-w-48 flex-1 sm:max-w-md">
            <TextField label="Code" name="code" required maxLength={100} autoComplete="off" spellCheck={false} />
          </div>
          <Button type="submit" isBusy={redemption.isPending}>
            Redeem
          </Button>
        </div>
        <ErrorNotice error={redemption.error} />
        {redemption.data !== undefined && (
          <Notice tone="good">
            {redemption.data.repeated
              ? `You have redeemed this code before. Your balance is ${formatUsd(redemption.data.balanceUsd)}.`
              : `${formatUsd(redemption.data.amountUsd)} were added. Your balance is ${formatUsd(redemption.data.balanceUsd)}.`}
          </Notice>
        )}
      </form>
    </Card>
  );
}
