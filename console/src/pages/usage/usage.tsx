// What an account has used: over time by model, key and application, and by the hour.

import { useNavigate, useSearch } from '@tanstack/react-router';
import { usageQuery } from '../../api/account.ts';
import { cacheQuery } from '../../api/cache.ts';
import { insightsQuery } from '../../api/insights.ts';
import { AccountSwitch } from '../../layout/account-switch.tsx';
import type { Coming } from '../../page-route.ts';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { CacheView } from './cache-view.tsx';
import { FIRST_INSIGHTS, Insights } from './insights.tsx';
import { OverTime } from './over-time.tsx';
import { comparedTo, isWhole, wishOf } from './usage-choice.ts';

export function ahead({ queryClient, search }: Coming): void {
  const { orgId, view } = search;
  if (view === 'hours') void queryClient.prefetchQuery(insightsQuery({ orgId, ...FIRST_INSIGHTS }));
  else if (view === 'cache') void queryClient.prefetchQuery(cacheQuery(orgId));
  else {
    const wish = wishOf(search);
    if (isWhole(wish)) void queryClient.prefetchQuery(usageQuery(comparedTo(wish)));
    void queryClient.prefetchQuery(usageQuery({ orgId, period: 'year' }));
  }
}

export function UsagePage() {
  const { orgId, view } = useSearch({ from: '/member/usage' });
  const navigate = useNavigate({ from: '/usage' });
  return (
    <Page
      title="Usage"
      description="What was spent, on what, and when. Days are in UTC; hours are in your time zone."
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
