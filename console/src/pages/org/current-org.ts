// The organization whose pages are open, and the person's role in it.

import { createContext, useContext } from 'react';
import type { Membership } from '../../api/orgs/organizations.ts';

export const CurrentOrg = createContext<Membership | null>(null);

export function useOrg(): Membership {
  const org = useContext(CurrentOrg);
  if (org === null) throw new Error('a page of an organization is shown outside its frame');
  return org;
}
