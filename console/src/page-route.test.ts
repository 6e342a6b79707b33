import { QueryClient } from '@tanstack/react-query';
import { expect, test } from 'vitest';
import { type OrganizationRole, type Session, sessionQuery } from './api/session.ts';
import { orgPageRoute, pageRoute } from './page-route.ts';

type Given = Parameters<ReturnType<typeof pageRoute>['loader']>[0];

const given = (queryClient: QueryClient, params: object = {}, search: object = {}): Given =>
  ({ context: { queryClient }, cause: 'preload', location: { search }, params }) as Given;

const Empty = () => null;

test('a page begins to fetch with what its address says', async () => {
  const heard: unknown[] = [];
  const ahead = ({ params, search }: Readonly<Record<string, unknown>>): void => void heard.push({ params, search });
  const { loader } = pageRoute(async () => ({ Empty, ahead }), 'Empty');
  const asked = given(new QueryClient(), { id: 'gen-1' }, { orgId: 'org-1' });
  await loader(asked);
  expect(heard).toEqual([{ params: { id: 'gen-1' }, search: { orgId: 'org-1' } }]);
  // An open page whose filters change fetches by itself.
  await loader({ ...asked, cause: 'stay' });
  expect(heard).toHaveLength(1);
});

test('a page that asks for nothing, or cannot be fetched, is no failure of the loader', async () => {
  await pageRoute(async () => ({ Empty }), 'Empty').loader(given(new QueryClient()));
  const away = async (): Promise<{ Empty: typeof Empty }> => {
    throw new TypeError('away');
  };
  await pageRoute(away, 'Empty').loader(given(new QueryClient()));
});

const clientOf = (role: OrganizationRole): QueryClient => {
  const queryClient = new QueryClient();
  const session: Session = {
    user: { id: 'u', email: 'a@b.example', name: 'A' },
    organizations: [{ id: 'org-1', name: 'Acme', role }],
    operatorRole: null,
  };
  queryClient.setQueryData(sessionQuery.queryKey, session);
  return queryClient;
};

test.each([
  ['org_admin', 'org-1', ['org_admin']],
  // The role has no such page.
  ['member', 'org-1', []],
  // Nobody there.
  ['org_admin', 'org-2', []],
] as const)('of an organization, %s in %s fetches for %j', async (role, orgId, expected) => {
  const heard: unknown[] = [];
  const ahead = (coming: Readonly<{ role: OrganizationRole }>): void => void heard.push(coming.role);
  const { loader } = orgPageRoute('audit-log', async () => ({ Empty, ahead }), 'Empty');
  await loader(given(clientOf(role), { orgId }));
  expect(heard).toEqual(expected);
});
