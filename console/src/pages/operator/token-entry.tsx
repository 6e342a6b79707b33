// Asks for the operator's token. It is tried before it is kept.

import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { keepOperatorToken, tryToken } from '../../api/operator/token.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';

export function TokenEntry() {
  const entry = useMutation({ mutationFn: tryToken, onSuccess: (_, token) => keepOperatorToken(token) });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    entry.mutate(String(new FormData(event.currentTarget).get('token')).trim());
  };
  return (
    <GuestFrame title="Operator" lead="For whoever runs this gateway.">
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Operator token"
          name="token"
          type="password"
          autoComplete="off"
          required
          hint="The value of TOLLGATE_ADMIN_TOKEN. It stays in this page’s memory: a reload asks for it again."
        />
        <ErrorNotice error={entry.error} />
        <Button kind="primary" type="submit" isBusy={entry.isPending}>
          Enter
        </Button>
      </form>
    </GuestFrame>
  );
}
