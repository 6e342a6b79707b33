// Signing in through an organization: the domain of an address tells which, and the browser goes to its issuer.

import { Link, useSearch } from '@tanstack/react-router';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { nextPage } from './next-page.ts';

export function OrganizationSignIn() {
  const { next } = useSearch({ from: '/guest/sign-in/organization' });
  return (
    <GuestFrame
      title="Sign in with your organization"
      lead="Enter your address to go to the page where your organization signs people in."
      below={
        <Link to="/sign-in" search={{ next }} className={textLinkClass}>
          Sign in with a password
        </Link>
      }
    >
      {/* A plain form: the gateway leads the browser to the issuer and back. */}
      <form action="/api/auth/sso" method="get" className="grid gap-4">
        <TextField label="Email" name="email" type="email" autoComplete="username" required />
        <input type="hidden" name="returnTo" value={nextPage(next, '')} />
        <Button kind="primary" type="submit">
          Continue
        </Button>
      </form>
    </GuestFrame>
  );
}
