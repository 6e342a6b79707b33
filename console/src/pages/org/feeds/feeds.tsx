// Where the records of an organization's calls are sent. For its administrators.

import { orgFeeds } from '../../../api/feeds.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { FeedsView } from '../../feeds/feeds-view.tsx';
import { useOrg } from '../current-org.ts';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(orgFeeds(orgId).query);
}

export function OrgFeeds() {
  const { id: orgId } = useOrg();
  return (
    <FeedsView
      api={orgFeeds(orgId)}
      description="Send the records of the organization’s calls to the place where you watch or keep them."
      forms={['otlp', 'http', 's3']}
    />
  );
}
