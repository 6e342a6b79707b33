// A new password takes the old one. Every other session ends with the change.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { FormEvent } from 'react';
import { changePassword, sessionsQuery } from '../../api/auth.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { TextField } from '../../ui/field.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { useToast } from '../../ui/toast.tsx';
import { PASSWORD_HINT, PASSWORD_LENGTH_MIN } from '../sign-in/password-rule.ts';

export function PasswordCard() {
  const queryClient = useQueryClient();
  const toast = useToast();
  const change = useMutation({ mutationFn: changePassword });
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const element = event.currentTarget;
    const form = new FormData(element);
    const body = { currentPassword: String(form.get('current')), newPassword: String(form.get('new')) };
    change.mutate(body, {
      onSuccess: () => {
        element.reset();
        toast('Your password is changed. Other sessions are signed out.');
        void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
      },
    });
  };
  return (
    <Card title="Password">
      <form onSubmit={submit} className="grid gap-4">
        <TextField
          label="Current password"
          name="current"
          type="password"
          autoComplete="current-password"
          required
          hint={
            <>
              You never set one?{' '}
              <Link to="/forgot-password" className={textLinkClass}>
                Ask for a mail to set it
              </Link>
            </>
          }
        />
        <TextField
          label="New password"
          name="new"
          type="password"
          autoComplete="new-password"
          minLength={PASSWORD_LENGTH_MIN}
          hint={PASSWORD_HINT}
          required
        />
        <ErrorNotice error={change.error} />
        <div>
          <Button type="submit" isBusy={change.isPending}>
            Change the password
          </Button>
        </div>
      </form>
    </Card>
  );
}
