// Where the mail for a forgotten password leads: a new one is chosen, and every session that was open ends.

import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import type { FormEvent } from 'react';
import { resetPassword } from '../../api/auth.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { tokenOf, useHash } from './next-page.ts';
import { PASSWORD_HINT, PASSWORD_LENGTH_MIN } from './password-rule.ts';

export function ResetPassword() {
  const token = tokenOf(useHash());
  const reset = useMutation({ mutationFn: resetPassword });
  if (reset.isSuccess) {
    return (
      <GuestFrame title="Your password is set">
        <Notice tone="good" icon={<CircleCheck size={18} />}>
          Sign in with the new one. Wherever you were signed in before, you are signed out now.
        </Notice>
        <Link to="/sign-in" className={buttonClass('primary')}>
          Sign in
        </Link>
      </GuestFrame>
    );
  }
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get('password'));
    if (token !== null) reset.mutate({ token, password });
  };
  return (
    <GuestFrame
      title="Choose a new password"
      below={
        <Link to="/forgot-password" className={textLinkClass}>
          Ask for a new link
        </Link>
      }
    >
      {token === null ? (
        <Notice tone="warn">This link is not whole. Open it again from the mail.</Notice>
      ) : (
        <NewPasswordForm onSubmit={submit} isBusy={reset.isPending} error={reset.error} />
      )}
    </GuestFrame>
  );
}

type NewPasswordFormProps = Readonly<{
  onSubmit: (event: FormEvent<HTMLFormElement>) => void;
  isBusy: boolean;
  error: unknown;
}>;

function NewPasswordForm({ onSubmit, isBusy, error }: NewPasswordFormProps) {
  return (
    <form onSubmit={onSubmit} className="grid gap-4">
      <TextField
        label="New password"
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={PASSWORD_LENGTH_MIN}
        hint={PASSWORD_HINT}
        required
      />
      <ErrorNotice error={error} />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        Set the password
      </Button>
    </form>
  );
}
