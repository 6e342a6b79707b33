// Asks for a mail with a link to set a new password. The page does not tell whether an address has an account.

import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { MailCheck } from 'lucide-react';
import { forgotPassword } from '../../api/auth.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

export function ForgotPassword() {
  const wish = useMutation({ mutationFn: forgotPassword });
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
        <Form sending={wish} read={(form) => ({ email: textIn(form, 'email') })}>
          <TextField label="Email" name="email" type="email" autoComplete="username" required />
          <FormError />
          <SubmitButton kind="primary">Send the link</SubmitButton>
        </Form>
      )}
    </GuestFrame>
  );
}
