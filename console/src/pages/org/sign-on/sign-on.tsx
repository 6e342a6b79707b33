// Single sign-on: the domains of the organization first, then the issuer for their addresses, then the directory that
// sends people.

import { domainsQuery, provisioningQuery, signOnQuery } from '../../../api/orgs/sign-on.ts';
import { teamsQuery } from '../../../api/orgs/teams.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Page } from '../../../ui/page.tsx';
import { DomainsCard } from './domains-card.tsx';
import { IssuerCard } from './issuer-card.tsx';
import { ProvisioningCard } from './provisioning-card.tsx';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(domainsQuery(orgId));
  void queryClient.prefetchQuery(signOnQuery(orgId));
  void queryClient.prefetchQuery(provisioningQuery(orgId));
  void queryClient.prefetchQuery(teamsQuery(orgId));
}

export function SignOnPage() {
  return (
    <Page
      title="Single sign-on"
      description="Your people sign in where they always do: Entra, Okta, Keycloak, Google Workspace, or any other OpenID Connect issuer."
    >
      <DomainsCard />
      <IssuerCard />
      <ProvisioningCard />
    </Page>
  );
}
