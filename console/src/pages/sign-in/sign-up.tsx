// Opening an account. The answer is the same whether or not the address has one already; the mail tells its owner.

import { useMutation } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { MailCheck } from 'lucide-react';
import { providersQuery, signUp } from '../../api/auth.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import type { Coming } from '../../page-route.ts';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
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
      <GuestFrame title="Check your mail" below={signInLink}>
        <Notice tone="good" icon={<MailCheck size={18} />}>
          A mail is on its way to {registration.variables.email}. Open the link in it and choose a password to finish.
          Nothing there after a few minutes? Check the spam folder.
        </Notice>
      </GuestFrame>
    );
  }
  return (
    <GuestFrame title="Create your account" lead="One key for every model, one balance." below={signInLink}>
      <Form sending={registration} read={(form) => ({ name: textIn(form, 'name'), email: textIn(form, 'email') })}>
        <TextField label="Name" name="name" autoComplete="name" maxLength={200} required />
        <TextField label="Email" name="email" type="email" autoComplete="email" required />
        <FormError />
        <SubmitButton kind="primary">Create account</SubmitButton>
      </Form>
      <OAuthButtons returnTo={nextPage(next, '')} />
    </GuestFrame>
  );
}
