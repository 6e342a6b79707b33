// An account's credit: what is there, buying more with every charge shown before, and what was bought.

import { useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type Account, accountQuery } from '../../api/account.ts';
import { topUpOptionsQuery } from '../../api/top-ups.ts';
import { AccountSwitch, useMayBuy } from '../../layout/account-switch.tsx';
import { Card } from '../../ui/card.tsx';
import { formatCount, formatUsd } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { RestrictionNotice } from './restriction-notice.tsx';
import { ReturnedTopUp } from './returned-top-up.tsx';
import { TopUpForm } from './top-up-form.tsx';
import { TopUpHistory } from './top-up-history.tsx';

export function Credits() {
  const { orgId, topup } = useSearch({ from: '/member/credits' });
  const navigate = useNavigate({ from: '/credits' });
  const account = useQuery(accountQuery(orgId));
  return (
    <Page
      title="Credits"
      description="Prepaid, in US dollars. Every call is charged to it."
      actions={
        <AccountSwitch
          orgId={orgId}
          onChange={(chosen) => void navigate({ search: { orgId: chosen }, replace: true })}
        />
      }
    >
      {topup !== undefined && <ReturnedTopUp id={topup} orgId={orgId} />}
      <RestrictionNotice orgId={orgId} />
      <QueryView query={account}>{(found) => <Figures account={found} />}</QueryView>
      <TopUp key={orgId} orgId={orgId} />
      <TopUpHistory orgId={orgId} />
    </Page>
  );
}

function Figures({ account }: Readonly<{ account: Account }>) {
  const { balance, total_credits: credits, total_usage: usage, rate_limit: rate, is_free_tier: isFree } = account;
  return (
    <StatRow>
      <Stat label="Balance" value={formatUsd(balance)} note={isFree ? 'Free tier' : undefined} />
      <Stat label="Credit in all" value={formatUsd(credits)} />
      <Stat label="Used in all" value={formatUsd(usage)} />
      <Stat label="Requests allowed" value={formatCount(rate.requests)} note="a minute" />
    </StatRow>
  );
}

function TopUp({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const mayBuy = useMayBuy(orgId);
  const options = useQuery(topUpOptionsQuery(orgId));
  return (
    <Card title="Buy credit">
      {mayBuy ? (
        <QueryView query={options}>
          {(offer) =>
            offer.providers.length === 0 ? (
              <Notice>Payments are not set up on this gateway. Ask its operator for credit.</Notice>
            ) : (
              <TopUpForm offer={offer} orgId={orgId} />
            )
          }
        </QueryView>
      ) : (
        <Notice>Only an administrator of the organization can buy credit for it.</Notice>
      )}
    </Card>
  );
}
