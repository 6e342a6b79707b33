// The second step of signing in: a code of the authenticator app, a recovery code, or a passkey.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { KeyRound } from 'lucide-react';
import { showCode, showPasskey } from '../../api/factors.ts';
import { beginSession } from '../../api/person-memory.ts';
import type { Session } from '../../api/session.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { Form, FormError, SubmitButton } from '../../ui/form.tsx';
import { textIn } from '../../ui/form-values.ts';
import { textLinkClass } from '../../ui/text-link.ts';
import { nextPage, useHash } from './next-page.ts';

export function SecondFactor() {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const hash = useHash();
  const { next } = useSearch({ from: '/guest/second-factor' });
  const onSuccess = async (session: Session): Promise<void> => {
    beginSession(queryClient, session);
    await navigate({ href: nextPage(next, hash) });
  };
  const code = useMutation({ mutationFn: showCode, onSuccess });
  const passkey = useMutation({ mutationFn: showPasskey, onSuccess });
  return (
    <GuestFrame
      title="One more step"
      lead="Your account asks for a second factor."
      below={
        <Link to="/sign-in" search={{ next }} hash={hash} className={textLinkClass}>
          Start again
        </Link>
      }
    >
      <Form sending={code} read={(form) => textIn(form, 'code')}>
        <TextField
          label="Code"
          name="code"
          autoComplete="one-time-code"
          autoCapitalize="off"
          spellCheck={false}
          maxLength={40}
          required
          autoFocus
          hint="Six digits of your authenticator app, or one of your recovery codes."
        />
        <FormError beside={passkey.error} />
        <SubmitButton kind="primary">Sign in</SubmitButton>
      </Form>
      <Button isBusy={passkey.isPending} onClick={() => passkey.mutate()}>
        <KeyRound size={16} aria-hidden="true" /> Use a passkey
      </Button>
    </GuestFrame>
  );
}
