// The page of an invitation's link. Anybody with the link sees what it is for; only the invited person, signed in, can
// accept.

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { acceptInvitation, invitationQuery } from '../../api/invitations.ts';
import { sessionQuery } from '../../api/session.ts';
import { signOut } from '../../api/sign-out.ts';
import { GuestFrame } from '../../layout/guest-frame.tsx';
import { useLeave } from '../../layout/use-leave.ts';
import { Button, buttonClass } from '../../ui/button.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { Facts } from '../../ui/facts.tsx';
import { Moment } from '../../ui/moment.tsx';
import { Notice } from '../../ui/notice.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { useToast } from '../../ui/toast.tsx';
import { ROLE_NAMES } from '../org/role-names.ts';
import { tokenOf, useHash } from '../sign-in/next-page.ts';

export function Invitation() {
  const token = tokenOf(useHash());
  return (
    <GuestFrame title="You are invited">
      {token === null ? (
        <Notice tone="warn">This link is incomplete. Open it again from the mail.</Notice>
      ) : (
        <Preview token={token} />
      )}
    </GuestFrame>
  );
}

function Preview({ token }: Readonly<{ token: string }>) {
  const preview = useQuery(invitationQuery(token));
  const session = useQuery(sessionQuery);
  return (
    <QueryView query={preview}>
      {({ organization, email, role, expiresAt }) => (
        <>
          <p className="text-sm text-quiet">
            To join <strong className="text-ink">{organization.name}</strong> on Tollgate.
          </p>
          <Facts
            facts={[
              ['Sent to', email],
              ['Role', ROLE_NAMES[role]],
              ['Valid until', <Moment key="at" at={expiresAt} />],
            ]}
          />
          <QueryView query={session}>
            {(found) =>
              found === null ? (
                <SignInFirst token={token} />
              ) : found.user.email.toLowerCase() === email.toLowerCase() ? (
                <Accept token={token} signedInAs={found.user.email} />
              ) : (
                <LeaveFirst token={token} invited={email} signedInAs={found.user.email} />
              )
            }
          </QueryView>
        </>
      )}
    </QueryView>
  );
}

/** The way back to this page. */
const carriedBy = (token: string) => ({ search: { next: '/invitation' }, hash: `token=${token}` });

function SignInFirst({ token }: Readonly<{ token: string }>) {
  const carried = carriedBy(token);
  return (
    <div className="grid gap-2">
      <Link to="/sign-in" {...carried} className={buttonClass('primary')}>
        Sign in to accept
      </Link>
      <Link to="/sign-up" {...carried} className={buttonClass()}>
        Create an account
      </Link>
    </div>
  );
}

/** Nobody accepts what was sent to another address. */
function LeaveFirst({ token, invited, signedInAs }: Readonly<{ token: string; invited: string; signedInAs: string }>) {
  const leave = useLeave(carriedBy(token));
  const departure = useMutation({ mutationFn: signOut, onSuccess: leave });
  return (
    <div className="grid gap-3">
      <Notice tone="warn">
        You are signed in as {signedInAs}. To accept, sign in as {invited}.
      </Notice>
      <ErrorNotice error={departure.error} />
      <Button kind="primary" isBusy={departure.isPending} onClick={() => departure.mutate()}>
        Sign out and go on
      </Button>
      <NotNow />
    </div>
  );
}

const NotNow = () => (
  <Link to="/" className={buttonClass('ghost')}>
    Not now
  </Link>
);

function Accept({ token, signedInAs }: Readonly<{ token: string; signedInAs: string }>) {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const toast = useToast();
  const acceptance = useMutation({
    mutationFn: acceptInvitation,
    onSuccess: async ({ organization }) => {
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      toast(`You are a member of ${organization.name} now.`);
      await navigate({ to: '/org/$orgId', params: { orgId: organization.id } });
    },
  });
  return (
    <div className="grid gap-3">
      <p className="text-xs text-quiet">Signed in as {signedInAs}.</p>
      <ErrorNotice error={acceptance.error} />
      <Button kind="primary" isBusy={acceptance.isPending} onClick={() => acceptance.mutate(token)}>
        Accept
      </Button>
      <NotNow />
    </div>
  );
}
