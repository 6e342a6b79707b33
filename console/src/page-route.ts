// A page as the options of its route: its component, and a loader for what it will show. The loader runs when somebody
// points at a link or moves the focus to it, so that the page is there when it is opened. It never waits for the
// answers: the page itself shows what is on its way and what failed.

import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { type OrganizationRole, sessionQuery } from './api/session.ts';
import { maySee, type OrgPageId } from './pages/org/org-pages.ts';
import { pageOf } from './ui/late-part.tsx';

export type Coming = Readonly<{
  queryClient: QueryClient;
  /** The variable parts of the address, each where the page has it. */
  params: Readonly<Record<'id' | 'orgId' | 'slug', string>>;
  search: Readonly<Partial<Record<string, string>>>;
}>;

export type ComingToOrg = Coming & Readonly<{ role: OrganizationRole }>;

/** What a page module may export beside the page: it begins to fetch what the page asks for first. */
type AheadPart<Where> = Readonly<{ ahead?: (coming: Where) => void }>;

/** Without the parameters: the router knows their names from each path, and takes what is said here for all it has. */
type LoaderArguments = Readonly<{
  context: Readonly<{ queryClient: QueryClient }>;
  cause: 'preload' | 'enter' | 'stay';
  location: Readonly<{ search: object }>;
}>;

const comingOf = (given: LoaderArguments): Coming => ({
  queryClient: given.context.queryClient,
  params: (given as unknown as Pick<Coming, 'params'>).params,
  search: given.location.search as Coming['search'],
});

type Importer<Name extends string> = () => Promise<Readonly<Record<Name, ComponentType<object>>>>;

/** A page of the signed-in person, or for everybody. */
export const pageRoute = <Name extends string>(importer: Importer<Name>, name: Name) =>
  routeOf(importer, name, (coming: Coming) => coming);

/** A page of an organization. What the person's role there may not see is not asked for. */
export const orgPageRoute = <Name extends string>(page: OrgPageId, importer: Importer<Name>, name: Name) =>
  routeOf(importer, name, (coming: Coming): ComingToOrg | null => {
    const session = coming.queryClient.getQueryData(sessionQuery.queryKey);
    const role = session?.organizations.find(({ id }) => id === coming.params.orgId)?.role;
    return role === undefined || !maySee(role, page) ? null : { ...coming, role };
  });

const routeOf = <Name extends string, Where>(
  importer: Importer<Name>,
  name: Name,
  whereOf: (coming: Coming) => Where | null,
) => ({
  component: pageOf(importer, name),
  // Not by the search: a page whose filters change would wait for its loader, and a choice that is changed twice by the
  // keyboard would fall back to the first in between. A page that is open fetches by itself.
  loader: async (given: LoaderArguments): Promise<void> => {
    const where = given.cause === 'stay' ? null : whereOf(comingOf(given));
    if (where === null) return;
    // A page that cannot be fetched is no matter of the loader: the component says so in its place.
    const part: AheadPart<Where> = await importer().catch(() => ({}));
    part.ahead?.(where);
  },
});
