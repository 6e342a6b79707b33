// What a person is told about their own account, and where.

import { ownNotices } from '../../api/notices.ts';
import type { Coming } from '../../page-route.ts';
import { NoticesView } from './notices-view.tsx';

export function ahead({ queryClient }: Coming): void {
  void queryClient.prefetchQuery(ownNotices.query);
}

export function Notices() {
  return (
    <NoticesView
      api={ownNotices}
      description="Get a notice when something happens to your account. Mails go to your own address."
      mailHint={null}
    />
  );
}
