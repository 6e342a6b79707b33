// Single sign-on: the domains of the organization first, then the issuer that speaks for their addresses.

import { Page } from '../../../ui/page.tsx';
import { DomainsCard } from './domains-card.tsx';
import { IssuerCard } from './issuer-card.tsx';

export function SignOnPage() {
  return (
    <Page
      title="Single sign-on"
      description="Your people sign in where they always do: Entra, Okta, Keycloak, Google Workspace, or any other OpenID Connect issuer."
    >
      <DomainsCard />
      <IssuerCard />
    </Page>
  );
}
