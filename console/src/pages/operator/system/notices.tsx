// The operator's notices, and their addresses.

import { operatorNotices } from '../../../api/notices.ts';
import { NoticesView } from '../../notices/notices-view.tsx';

export function OperatorNotices() {
  return (
    <NoticesView
      api={operatorNotices}
      description="Get a notice when a provider, the books or a customer needs your attention."
      mailHint="Any mail address."
    />
  );
}
