// Signing in with an address and a password, or with an account at another site.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { providersQuery, signIn } from '../../api/auth.ts';
import { beginSession } from '../../api/person-memory.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import type { Coming } from '../../page-route.ts';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { nextPage, useHash } from './next-page.ts';
import { OAuthButtons } from './oauth-buttons.tsx';
import { signInProblem } from './sign-in-problem.ts';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(providersQuery);
}

export function SignIn() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const hash = useHash();
  const { next, error } = useSearch({ from: '/guest/sign-in' });
  const entry = useMutation({
    mutationFn: signIn,
    onSuccess: async (session) => {
      if ('secondFactor' in session) {
        await navigate({ to: '/second-factor', search: { next }, hash });
        return;
      }
      beginSession(queryClient, session);
      await navigate({ href: nextPage(next, hash) });
    },
  });
  const problem = entry.isIdle ? signInProblem(error) : null;
  return (
    <GuestFrame title="Sign in to Tollgate" below={<OtherWays />}>
      {problem !== null && <Notice tone="warn">{problem}</Notice>}
      <Form sending={entry} read={(form) => ({ email: textIn(form, 'email'), password: String(form.get('password')) })}>
        <TextField label="Email" name="email" type="email" autoComplete="username" required />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        <FormError />
        <SubmitButton kind="primary">Sign in</SubmitButton>
      </Form>
      <OAuthButtons returnTo={nextPage(next, '')} />
    </GuestFrame>
  );
}

function OtherWays() {
  const hash = useHash();
  const { next } = useSearch({ from: '/guest/sign-in' });
  return (
    <>
      <p>
        New here?{' '}
        <Link to="/sign-up" search={{ next }} hash={hash} className={textLinkClass}>
          Create an account
        </Link>
      </p>
      <Link to="/sign-in/organization" search={{ next }} className={textLinkClass}>
        Sign in with your organization
      </Link>
      <Link to="/forgot-password" className={textLinkClass}>
        Forgot your password?
      </Link>
    </>
  );
}
