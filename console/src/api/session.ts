// Who is signed in. Null means nobody, which is a valid answer and not an error.

import { queryOptions } from '@tanstack/react-query';
import { isSignedOut } from './problem.ts';
import { request } from './request.ts';

export type OperatorRole = 'owner' | 'support' | 'read_only';
export type OrganizationRole = 'org_admin' | 'billing_viewer' | 'team_admin' | 'member';

export type Session = Readonly<{
  user: Readonly<{ id: string; email: string; name: string }>;
  organizations: readonly Readonly<{ id: string; name: string; role: OrganizationRole }>[];
  /** Null for a person who is not an operator. */
  operatorRole: OperatorRole | null;
}>;

export const sessionQuery = queryOptions({
  queryKey: ['session'],
  staleTime: 60_000,
  queryFn: async (): Promise<Session | null> => {
    try {
      return await request<Session>('GET', '/api/auth/session');
    } catch (error) {
      if (isSignedOut(error)) return null;
      throw error;
    }
  },
});
