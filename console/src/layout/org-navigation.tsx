// The part of the navigation that is about organizations: the ones a person belongs to, or the pages of the one that is
// open, as far as the person's role goes.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { type Session, sessionQuery } from '../api/session.ts';
import { pagesFor } from '../pages/org/org-pages.ts';
import { navActive, navLinkClass } from './nav-link.ts';
import { NavigationSection } from './side-frame.tsx';

const LISTED_MAX = 5;

type Organization = Session['organizations'][number];

export function OrgNavigation() {
  const { data: session } = useQuery(sessionQuery);
  const { orgId } = useParams({ strict: false });
  const organizations = session?.organizations ?? [];
  const open = organizations.find(({ id }) => id === orgId);
  return (
    <NavigationSection title={open?.name ?? 'Organizations'}>
      {open === undefined ? <OrgLinks organizations={organizations} /> : <PageLinks organization={open} />}
      <li>
        <Link to="/orgs" className={navLinkClass} activeProps={navActive}>
          <Building2 size={17} aria-hidden="true" />
          All organizations
        </Link>
      </li>
    </NavigationSection>
  );
}

function OrgLinks({ organizations }: Readonly<{ organizations: readonly Organization[] }>) {
  return organizations.slice(0, LISTED_MAX).map(({ id, name }) => (
    <li key={id} className="min-w-0">
      <Link to="/org/$orgId" params={{ orgId: id }} className={navLinkClass} activeProps={navActive}>
        <span
          aria-hidden="true"
          className="grid size-[17px] shrink-0 place-items-center rounded bg-sunken text-[0.625rem]"
        >
          {name.slice(0, 1).toUpperCase()}
        </span>
        <span className="truncate" title={name}>
          {name}
        </span>
      </Link>
    </li>
  ));
}

function PageLinks({ organization }: Readonly<{ organization: Organization }>) {
  return pagesFor(organization.role).map(({ id, to, label, icon: Icon }) => (
    <li key={id}>
      <Link
        to={to}
        params={{ orgId: organization.id }}
        activeOptions={{ exact: id === 'overview', includeSearch: false }}
        className={navLinkClass}
        activeProps={navActive}
      >
        <Icon size={17} aria-hidden="true" />
        {label}
      </Link>
    </li>
  ));
}
