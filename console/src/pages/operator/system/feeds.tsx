// Where the records of all calls are sent, for the operator.

import { operatorFeeds } from '../../../api/feeds.ts';
import { FeedsView } from '../../feeds/feeds-view.tsx';

export function OperatorFeeds() {
  return (
    <FeedsView
      api={operatorFeeds}
      description="Send the records of all accounts’ calls to the place where you watch or keep them."
      forms={['otlp', 'http', 's3', 'file']}
    />
  );
}
