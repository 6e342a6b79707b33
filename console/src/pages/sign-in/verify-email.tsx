// The page of the link in a sign-up mail: the owner of the mailbox chooses the password. The address is confirmed only
// when a person presses the button, because programs that open every link of a mail must not use the link up. Then the
// person is signed in with the new password.

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import type { VerifyEmailBody } from '../../../../gateway/src/contract/auth.ts';
import { signIn, verifyEmail } from '../../api/auth.ts';
import { beginSession } from '../../api/person-memory.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { NewPasswordForm } from './new-password-form.tsx';
import { tokenOf, useHash } from './next-page.ts';

export function VerifyEmail() {
  const token = tokenOf(useHash());
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const verification = useMutation({
    mutationFn: async (body: VerifyEmailBody) => {
      const { email } = await verifyEmail(body);
      // The address is confirmed in any case: if signing in fails now, the person signs in on the next page.
      const session = await signIn({ email, password: body.password }).catch(() => null);
      return { email, session };
    },
    onSuccess: async ({ session }) => {
      if (session === null || 'secondFactor' in session) return;
      beginSession(queryClient, session);
      await navigate({ to: '/' });
    },
  });
  if (verification.isSuccess) {
    return (
      <GuestFrame title="Your address is confirmed">
        <Notice tone="good" icon={<CircleCheck size={18} />}>
          {verification.data.email} can sign in now.
        </Notice>
        <Link to="/sign-in" className={buttonClass('primary')}>
          Sign in
        </Link>
      </GuestFrame>
    );
  }
  return (
    <GuestFrame
      title="Confirm your email address"
      lead="Choose the password that you will sign in with."
      below={
        <Link to="/sign-up" className={textLinkClass}>
          Ask for a new link
        </Link>
      }
    >
      <NewPasswordForm token={token} label="Password" verb="Confirm my address" sending={verification} />
    </GuestFrame>
  );
}
