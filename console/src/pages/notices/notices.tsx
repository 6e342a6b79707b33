// What a person is told about their own account, and where.

import { ownNotices } from '../../api/notices.ts';
import { NoticesView } from './notices-view.tsx';

export function Notices() {
  return (
    <NoticesView
      api={ownNotices}
      description="Be told when something happens to your account. Mails go to your own address."
      mailHint={null}
    />
  );
}
