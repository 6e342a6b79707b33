// An account's credit: the balance, buying more with the whole price shown before, and earlier purchases.

import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { type Account, accountQuery } from '../../api/account.ts';
import { autoTopUpQuery } from '../../api/auto-top-up.ts';
import { exposuresQuery } from '../../api/exposure.ts';
import { sessionQuery } from '../../api/session.ts';
import { siteQuery } from '../../api/site.ts';
import { topUpOptionsQuery, topUpsQuery } from '../../api/top-ups.ts';
import { AccountSwitch, mayBuy, useMayBuy } from '../../layout/account-switch.tsx';
import type { Coming } from '../../page-route.ts';
import { Card } from '../../ui/card.tsx';
import { ContactLink } from '../../ui/contact-link.tsx';
import { formatCount, formatUsd } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { AutoTopUpCard } from './auto-top-up-card.tsx';
import { RedeemCard } from './redeem-card.tsx';
import { RestrictionNotice } from './restriction-notice.tsx';
import { ReturnedTopUp } from './returned-top-up.tsx';
import { TopUpForm } from './top-up-form.tsx';
import { TopUpHistory } from './top-up-history.tsx';

export function ahead({ queryClient, search: { orgId } }: Coming): void {
  void queryClient.prefetchQuery(accountQuery(orgId));
  void queryClient.prefetchQuery(exposuresQuery);
  void queryClient.prefetchQuery(topUpOptionsQuery(orgId));
  void queryClient.prefetchInfiniteQuery(topUpsQuery(orgId));
  if (mayBuy(queryClient.getQueryData(sessionQuery.queryKey), orgId)) {
    void queryClient.prefetchQuery(autoTopUpQuery(orgId));
  }
}

export function Credits() {
  const { orgId, topup, card } = useSearch({ from: '/member/credits' });
  const navigate = useNavigate({ from: '/credits' });
  const account = useQuery(accountQuery(orgId));
  const isBuyer = useMayBuy(orgId);
  return (
    <Page
      title="Credits"
      description="Your prepaid balance in US dollars. Every call is charged to it."
      actions={
        <AccountSwitch
          orgId={orgId}
          onChange={(chosen) => void navigate({ search: { orgId: chosen }, replace: true })}
        />
      }
    >
      {topup !== undefined && <ReturnedTopUp id={topup} orgId={orgId} />}
      <RestrictionNotice orgId={orgId} />
      <QueryView query={account}>{(found) => <Figures account={found} orgId={orgId} />}</QueryView>
      <TopUp key={orgId} orgId={orgId} />
      {isBuyer && <AutoTopUpCard key={`automatic ${orgId}`} orgId={orgId} isAwaited={card === 'given'} />}
      {isBuyer && <RedeemCard key={`code ${orgId}`} orgId={orgId} />}
      <TopUpHistory orgId={orgId} />
    </Page>
  );
}

function StatementLink({ orgId }: Readonly<{ orgId: string | undefined }>) {
  return (
    <Link to="/statement" search={{ orgId }} className={textLinkClass}>
      See the statement
    </Link>
  );
}

function Figures({ account, orgId }: Readonly<{ account: Account; orgId: string | undefined }>) {
  const { balance, total_credits: credits, total_usage: usage, rate_limit: rate, is_free_tier: isFree } = account;
  return (
    <StatRow>
      <Stat label="Balance" value={formatUsd(balance)} note={isFree ? 'Free tier' : undefined} />
      <Stat label="Credit in all" value={formatUsd(credits)} note={<StatementLink orgId={orgId} />} />
      <Stat label="Used in all" value={formatUsd(usage)} />
      <Stat label="Requests allowed" value={formatCount(rate.requests)} note="a minute" />
    </StatRow>
  );
}

/** One click to the contact who gives credit, where nothing can be bought. */
function AskOperator() {
  const contact = useQuery(siteQuery).data?.contact ?? null;
  return (
    <Notice>
      Payments are not set up on this gateway.{' '}
      {contact === null ? (
        'Ask its operator for credit.'
      ) : (
        <>
          Ask for credit: <ContactLink contact={contact} />
        </>
      )}
    </Notice>
  );
}

function TopUp({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const isBuyer = useMayBuy(orgId);
  const options = useQuery(topUpOptionsQuery(orgId));
  return (
    <Card title="Buy credit">
      {isBuyer ? (
        <QueryView query={options}>
          {(offer) => (offer.providers.length === 0 ? <AskOperator /> : <TopUpForm offer={offer} orgId={orgId} />)}
        </QueryView>
      ) : (
        <Notice>Only an administrator of the organization can buy credit for it.</Notice>
      )}
    </Card>
  );
}
