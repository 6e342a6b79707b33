// What an account has used: over time by model, key and application, and by the hour.

import { useNavigate, useSearch } from '@tanstack/react-router';
import { AccountSwitch } from '../../layout/account-switch.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CacheView } from './cache-view.tsx';
import { Insights } from './insights.tsx';
import { OverTime } from './over-time.tsx';

export function UsagePage() {
  const { orgId, view } = useSearch({ from: '/member/usage' });
  const navigate = useNavigate({ from: '/usage' });
  return (
    <Page
      title="Usage"
      description="What was spent, on what, and when. Days are those of UTC; hours are yours."
      actions={
        <AccountSwitch
          orgId={orgId}
          onChange={(chosen) => void navigate({ search: (before) => ({ ...before, orgId: chosen }), replace: true })}
        />
      }
    >
      <Tabs
        label="Views"
        value={view === 'hours' || view === 'cache' ? view : 'time'}
        onChange={(chosen) => void navigate({ search: (before) => ({ ...before, view: chosen }), replace: true })}
        tabs={[
          { id: 'time', label: 'Over time', content: <OverTime /> },
          { id: 'hours', label: 'By the hour', content: <Insights orgId={orgId} /> },
          { id: 'cache', label: 'Cache', content: <CacheView orgId={orgId} /> },
        ]}
      />
    </Page>
  );
}
