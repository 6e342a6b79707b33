// The institution plan: keys that are given to students, who may use them and for how much, and the sessions that run.

import { eduConfigQuery, eduKeysQuery, eduSessionsQuery } from '../../../api/orgs/edu.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { Page } from '../../../ui/page.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { ConfigCard } from './config-card.tsx';
import { KeysCard } from './keys-card.tsx';
import { FIRST_SESSIONS, SessionsCard } from './sessions-card.tsx';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(eduKeysQuery(orgId));
  void queryClient.prefetchQuery(eduConfigQuery(orgId));
  void queryClient.prefetchInfiniteQuery(eduSessionsQuery(orgId, FIRST_SESSIONS));
}

export function Institution() {
  return (
    <Page
      title="Institution"
      description={
        <>
          Students need no account: with a key of yours and an address at your school they get a session at{' '}
          <a href="/edu" className={textLinkClass}>
            {location.host}/edu
          </a>
          .
        </>
      }
    >
      <KeysCard />
      <ConfigCard />
      <SessionsCard />
    </Page>
  );
}
