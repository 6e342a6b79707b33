// For a person whose session is not an operator's: signing in as one, or the operator token, which is tried before it
// is kept.

import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { keepOperatorToken, tryToken } from '../../api/operator/token.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { textLinkClass } from '../../ui/text-link.ts';

export function TokenEntry({ isSignedIn }: Readonly<{ isSignedIn: boolean }>) {
  const entry = useMutation({ mutationFn: tryToken, onSuccess: (_, token) => keepOperatorToken(token) });
  return (
    <GuestFrame title="Operator" lead="For the people who run this gateway.">
      <p className="text-sm text-quiet">
        {isSignedIn ? (
          <>
            Your account is not an operator’s. An owner can appoint you, or you can enter with the operator token.{' '}
            <Link to="/" className={textLinkClass}>
              Back to the console
            </Link>
          </>
        ) : (
          <>
            <Link to="/sign-in" search={{ next: '/operator' }} className={textLinkClass}>
              Sign in
            </Link>{' '}
            if your account is an operator’s. Otherwise enter with the operator token.
          </>
        )}
      </p>
      <Form sending={entry} read={(form) => textIn(form, 'token')}>
        <TextField
          label="Operator token"
          name="token"
          type="password"
          autoComplete="off"
          required
          hint="TOLLGATE_ADMIN_TOKEN, or else what the first start printed and keeps as admin-token in the data folder. A reload asks for it again."
        />
        <FormError />
        <SubmitButton kind="primary">Enter</SubmitButton>
      </Form>
    </GuestFrame>
  );
}
