// Around every page of an organization: it finds out the person's role. For a person who is not a member the
// organization does not exist, and a page that the role may not see is not shown.

import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, useParams, useRouterState } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { type Membership, membershipsQuery } from '../../api/orgs/organizations.ts';
import { buttonClass } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Loading } from '../../ui/loading.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { CurrentOrg } from './current-org.ts';
import { maySee, ORG_PAGES } from './org-pages.ts';
import { ROLE_NAMES } from './role-names.ts';

export function OrgFrame() {
  const { orgId } = useParams({ from: '/member/org/$orgId' });
  // A person who has just accepted an invitation is not in what was read before.
  const query = useQuery({ ...membershipsQuery, refetchOnMount: 'always' });
  return (
    <QueryView query={query}>
      {(memberships) => {
        const org = memberships.find(({ id }) => id === orgId);
        if (org === undefined) {
          return query.isFetching ? (
            <Loading />
          ) : (
            <Closed title="No such organization">
              You are not a member of an organization with this address. Ask for an invitation.
            </Closed>
          );
        }
        return org.status === 'suspended' ? <Suspended org={org} /> : <OpenPage org={org} />;
      }}
    </QueryView>
  );
}

function OpenPage({ org }: Readonly<{ org: Membership }>) {
  const path = useRouterState({ select: (state) => state.location.pathname });
  const last = path.replace(/\/+$/, '').split('/').at(-1);
  const page = ORG_PAGES.find(({ id }) => id === last)?.id ?? 'overview';
  if (!maySee(org.role, page)) {
    return (
      <Closed title="Not for your role">
        In {org.name} you are: {ROLE_NAMES[org.role]}. An administrator can show you this page or change your role.
      </Closed>
    );
  }
  return (
    // With another organization everything begins anew, because a form keeps what it began with.
    <CurrentOrg key={org.id} value={org}>
      <Outlet />
    </CurrentOrg>
  );
}

function Suspended({ org }: Readonly<{ org: Membership }>) {
  return (
    <Closed title={`${org.name} is suspended`}>
      Its keys are refused and nothing can be changed. The operator of this gateway can lift that.
    </Closed>
  );
}

function Closed({ title, children }: Readonly<{ title: string; children: ReactNode }>) {
  return (
    <Page title={title}>
      <Card>
        <EmptyState
          icon={<Building2 size={22} />}
          title={title}
          action={
            <Link to="/orgs" className={buttonClass()}>
              Your organizations
            </Link>
          }
        >
          {children}
        </EmptyState>
      </Card>
    </Page>
  );
}
