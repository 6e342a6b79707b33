// The part of the navigation that is about organizations: the ones a person belongs to, and the pages of the one that is
// open, as far as the person's role goes.

import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Building2 } from 'lucide-react';
import { sessionQuery } from '../api/session.ts';
import { pagesFor } from '../pages/org/org-pages.ts';

const LINK = 'flex items-center gap-2.5 rounded-lg px-2 py-1.5 text-sm hover:bg-sunken';
const ACTIVE = { className: 'bg-accent-soft text-accent font-medium' };
const LISTED_MAX = 5;

export function OrgNavigation() {
  const { data: session } = useQuery(sessionQuery);
  const { orgId } = useParams({ strict: false });
  const organizations = session?.organizations ?? [];
  const open = organizations.find(({ id }) => id === orgId);
  return (
    <>
      <div className="mb-4">
        <p className="px-2 pb-1 text-xs font-medium text-quiet">Organizations</p>
        <ul className="grid gap-0.5">
          <li>
            <Link to="/orgs" className={LINK} activeProps={ACTIVE}>
              <Building2 size={17} aria-hidden="true" />
              All organizations
            </Link>
          </li>
          {open === undefined &&
            organizations.slice(0, LISTED_MAX).map(({ id, name }) => (
              <li key={id}>
                <Link to="/org/$orgId" params={{ orgId: id }} className={LINK} activeProps={ACTIVE}>
                  <Initial name={name} />
                  <span className="truncate">{name}</span>
                </Link>
              </li>
            ))}
        </ul>
      </div>
      {open !== undefined && (
        <div className="mb-4">
          <p className="truncate px-2 pb-1 text-xs font-medium text-quiet">{open.name}</p>
          <ul className="grid gap-0.5">
            {pagesFor(open.role).map(({ id, to, label, icon: Icon }) => (
              <li key={id}>
                <Link
                  to={to}
                  params={{ orgId: open.id }}
                  activeOptions={{ exact: id === 'overview', includeSearch: false }}
                  className={LINK}
                  activeProps={ACTIVE}
                >
                  <Icon size={17} aria-hidden="true" />
                  {label}
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </>
  );
}

function Initial({ name }: Readonly<{ name: string }>) {
  return (
    <span aria-hidden="true" className="grid size-[17px] shrink-0 place-items-center rounded bg-sunken text-[0.625rem]">
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}
