// Choosing a password on the page that a mail leads to. The link holds the proof; one that was cut off on its way is
// said so.

import { TextField } from '../../ui/field.tsx';
import { Form, FormError, type Sending, SubmitButton } from '../../ui/form.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PASSWORD_HINT, PASSWORD_LENGTH_MIN } from './password-rule.ts';

type NewPasswordFormProps = Readonly<{
  token: string | null;
  label: string;
  verb: string;
  sending: Sending<Readonly<{ token: string; password: string }>>;
}>;

export function NewPasswordForm({ token, label, verb, sending }: NewPasswordFormProps) {
  if (token === null) return <Notice tone="warn">This link is incomplete. Open it again from the mail.</Notice>;
  return (
    <Form sending={sending} read={(form) => ({ token, password: String(form.get('password')) })}>
      <TextField
        label={label}
        name="password"
        type="password"
        autoComplete="new-password"
        minLength={PASSWORD_LENGTH_MIN}
        hint={PASSWORD_HINT}
        required
      />
      <FormError />
      <SubmitButton kind="primary">{verb}</SubmitButton>
    </Form>
  );
}
