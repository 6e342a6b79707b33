// The page of the link in the mail for a forgotten password: a new one is chosen, and every open session ends.

import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { CircleCheck } from 'lucide-react';
import { resetPassword } from '../../api/auth.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { buttonClass } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { NewPasswordForm } from './new-password-form.tsx';
import { tokenOf, useHash } from './next-page.ts';

export function ResetPassword() {
  const token = tokenOf(useHash());
  const reset = useMutation({ mutationFn: resetPassword });
  if (reset.isSuccess) {
    return (
      <GuestFrame title="Your password is set">
        <Notice tone="good" icon={<CircleCheck size={18} />}>
          Sign in with the new one. Everywhere else you are signed out now.
        </Notice>
        <Link to="/sign-in" className={buttonClass('primary')}>
          Sign in
        </Link>
      </GuestFrame>
    );
  }
  return (
    <GuestFrame
      title="Choose a new password"
      below={
        <Link to="/forgot-password" className={textLinkClass}>
          Ask for a new link
        </Link>
      }
    >
      <NewPasswordForm token={token} label="New password" verb="Set the password" sending={reset} />
    </GuestFrame>
  );
}
