// Signing in with an address and a password.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useEffect } from 'react';
import { request } from '../../api/request.ts';
import { sessionQuery } from '../../api/session.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';

type Credentials = Readonly<{ email: string; password: string }>;

export function SignIn() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const { next } = useSearch({ from: '/guest/sign-in' });
  useEffect(() => {
    document.title = 'Sign in · Tollgate';
  }, []);
  const signIn = useMutation({
    mutationFn: (body: Credentials) => request<unknown>('POST', '/api/auth/login', { body }),
    onSuccess: async () => {
      await queryClient.fetchQuery({ ...sessionQuery, staleTime: 0 });
      await navigate({ href: next ?? '/console/' });
    },
  });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    signIn.mutate({ email: String(form.get('email')), password: String(form.get('password')) });
  };
  return (
    <main className="grid min-h-dvh place-content-center p-4">
      <form
        onSubmit={submit}
        className="grid w-[min(24rem,calc(100vw-2rem))] gap-4 rounded-2xl border border-line bg-surface p-7"
      >
        <img src="/console/icon.svg" alt="" width={40} height={40} />
        <h1 className="text-xl font-semibold">Sign in to Tollgate</h1>
        <TextField label="Email" name="email" type="email" autoComplete="username" required />
        <TextField label="Password" name="password" type="password" autoComplete="current-password" required />
        <ErrorNotice error={signIn.error} />
        <Button kind="primary" type="submit" isBusy={signIn.isPending}>
          Sign in
        </Button>
      </form>
    </main>
  );
}
