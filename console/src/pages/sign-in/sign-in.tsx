// Signing in with an address and a password, or with an account at another site.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { providersQuery, signIn } from '../../api/auth.ts';
import { sessionQuery } from '../../api/session.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import type { Coming } from '../../page-route.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
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
      // Nothing that was read before belongs to this person.
      queryClient.clear();
      queryClient.setQueryData(sessionQuery.queryKey, session);
      await navigate({ href: nextPage(next, hash) });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    entry.mutate({ email: String(form.get('email')), password: String(form.get('password')) });
  };
  const problem = entry.isIdle ? signInProblem(error) : null;
  return (
    <GuestFrame title="Sign in to Tollgate" below={<OtherWays />}>
      {problem !== null && <Notice tone="warn">{problem}</Notice>}
      <form onSubmit={submit} className="grid gap-4">
        <TextField label="Email" name="email" type="email" autoComplete="username" required />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        <ErrorNotice error={entry.error} />
        <Button kind="primary" type="submit" isBusy={entry.isPending}>
          Sign in
        </Button>
      </form>
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
