// An organization's notices and their addresses, for its administrators.

import { orgNotices } from '../../../api/notices.ts';
import type { ComingToOrg } from '../../../page-route.ts';
import { NoticesView } from '../../notices/notices-view.tsx';
import { useOrg } from '../current-org.ts';

export function ahead({ queryClient, params: { orgId } }: ComingToOrg): void {
  void queryClient.prefetchQuery(orgNotices(orgId).query);
}

export function OrgNotices() {
  const { id: orgId } = useOrg();
  return (
    <NoticesView
      api={orgNotices(orgId)}
      description="Send notices when something happens in the organization."
      mailHint="The address of a member. A member who leaves the organization gets no more notices."
    />
  );
}
