// Opening an account. The answer is the same whether or not the address has one already; the mail tells its owner.

import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { MailCheck } from 'lucide-react';
import type { FormEvent } from 'react';
import { providersQuery, signUp } from '../../api/auth.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import type { Coming } from '../../page-route.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { nextPage, useHash } from './next-page.ts';
import { OAuthButtons } from './oauth-buttons.tsx';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(providersQuery);
}

export function SignUp() {
  const hash = useHash();
  const { next } = useSearch({ from: '/guest/sign-up' });
  const registration = useMutation({ mutationFn: signUp });
  const signInLink = (
    <p>
      Have an account?{' '}
      <Link to="/sign-in" search={{ next }} hash={hash} className={textLinkClass}>
        Sign in
      </Link>
    </p>
  );
  if (registration.isSuccess) {
    return (
      <GuestFrame title="Look into your mail" below={signInLink}>
        <Notice tone="good" icon={<MailCheck size={18} />}>
          A mail is on its way to {registration.variables.email}. Open the link in it and choose a password to finish.
          Nothing there after a few minutes? Look into the spam folder.
        </Notice>
      </GuestFrame>
    );
  }
  return (
    <GuestFrame title="Create your account" lead="One key for every model, one balance." below={signInLink}>
      <SignUpForm onSubmit={registration.mutate} isBusy={registration.isPending} error={registration.error} />
      <OAuthButtons returnTo={nextPage(next, '')} />
    </GuestFrame>
  );
}

type SignUpFormProps = Readonly<{
  onSubmit: (wish: { name: string; email: string }) => void;
  isBusy: boolean;
  error: unknown;
}>;

function SignUpForm({ onSubmit, isBusy, error }: SignUpFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (name: string): string => String(form.get(name));
    onSubmit({ name: text('name'), email: text('email') });
  };
  return (
    <form onSubmit={submit} className="grid gap-4">
      <TextField label="Name" name="name" autoComplete="name" maxLength={200} required />
      <TextField label="Email" name="email" type="email" autoComplete="email" required />
      <ErrorNotice error={error} />
      <Button kind="primary" type="submit" isBusy={isBusy}>
        Create account
      </Button>
    </form>
  );
}
