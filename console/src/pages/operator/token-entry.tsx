// The way in for whoever is no operator by their session: signing in as one, or the operator token, which is tried before it
// is kept.

import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { keepOperatorToken, tryToken } from '../../api/operator/token.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

export function TokenEntry({ isSignedIn }: Readonly<{ isSignedIn: boolean }>) {
  const entry = useMutation({ mutationFn: tryToken, onSuccess: (_, token) => keepOperatorToken(token) });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    entry.mutate(String(new FormData(event.currentTarget).get('token')).trim());
  };
  return (
    <GuestFrame title="Operator" lead="For whoever runs this gateway.">
      <p className="text-sm text-quiet">
        {isSignedIn ? (
          'Your account is no operator’s. An owner can appoint you, or you enter with the operator token.'
        ) : (
          <>
            <Link to="/sign-in" search={{ next: '/operator' }} className={textLinkClass}>
              Sign in
            </Link>{' '}
            if you are an operator by name. Otherwise enter with the operator token.
          </>
        )}
      </p>
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
