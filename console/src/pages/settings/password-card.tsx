// Sets a new password, which needs the old one. Every other session ends with the change.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { changePassword, sessionsQuery } from '../../api/auth.ts';
import { Card } from '../../ui/card.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { useToast } from '../../ui/toast.tsx';
import { PASSWORD_HINT, PASSWORD_LENGTH_MIN } from '../sign-in/password-rule.ts';

/** Blanks at the ends of a password may be meant. */
const passwordsIn = (form: FormData) => ({
  currentPassword: String(form.get('currentPassword')),
  newPassword: String(form.get('newPassword')),
});

export function PasswordCard() {
  const queryClient = useQueryClient();
  const toast = useToast();
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      toast('Your password is changed. Other sessions are signed out.');
      void queryClient.invalidateQueries({ queryKey: sessionsQuery.queryKey });
    },
  });
  return (
    <Card title="Password">
      <Form sending={change} read={passwordsIn} isEmptiedAfter>
        <TextField
          label="Current password"
          name="currentPassword"
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
          name="newPassword"
          type="password"
          autoComplete="new-password"
          minLength={PASSWORD_LENGTH_MIN}
          hint={PASSWORD_HINT}
          required
        />
        <FormError />
        <div>
          <SubmitButton>Change the password</SubmitButton>
        </div>
      </Form>
    </Card>
  );
}
