// Asking for a mail with which a new password can be set. Nobody learns here whether an address has an account.

import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MailCheck } from 'lucide-react';
import type { FormEvent } from 'react';
import { forgotPassword } from '../../api/auth.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

export function ForgotPassword() {
  const wish = useMutation({ mutationFn: forgotPassword });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    wish.mutate({ email: String(new FormData(event.currentTarget).get('email')) });
  };
  return (
    <GuestFrame
      title="Set a new password"
      lead="We send you a link with which you can choose one."
      below={
        <Link to="/sign-in" className={textLinkClass}>
          Back to signing in
        </Link>
      }
    >
      {wish.isSuccess ? (
        <Notice tone="good" icon={<MailCheck size={18} />}>
          If {wish.variables.email} has an account, a mail is on its way to it.
        </Notice>
      ) : (
        <form onSubmit={submit} className="grid gap-4">
          <TextField label="Email" name="email" type="email" autoComplete="username" required />
          <ErrorNotice error={wish.error} />
          <Button kind="primary" type="submit" isBusy={wish.isPending}>
            Send the link
          </Button>
        </form>
      )}
    </GuestFrame>
  );
}
