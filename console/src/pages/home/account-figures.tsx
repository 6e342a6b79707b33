// The balance and recent spending. The places are there before the figures, so that nothing jumps.

import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { UsageAnswer } from '../../../../gateway/src/contract/usage.ts';
import { accountQuery, usageQuery } from '../../api/account.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatCount, formatUsd } from '../../ui/format.ts';
import { Stat, StatRow } from '../../ui/stat.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

const PENDING = '…';

const spendOf = ({ data }: UseQueryResult<UsageAnswer>): string =>
  data === undefined ? PENDING : formatUsd(data.totals.spend);

export function AccountFigures() {
  const account = useQuery(accountQuery());
  const today = useQuery(usageQuery({ period: 'day' }));
  const month = useQuery(usageQuery({ period: 'month' }));
  return (
    <>
      <ErrorNotice error={account.error ?? today.error ?? month.error} />
      <StatRow>
        <Stat
          label="Balance"
          value={account.data === undefined ? PENDING : formatUsd(account.data.balance)}
          note={
            <Link to="/credits" search={{}} className={textLinkClass}>
              Get credit
            </Link>
          }
        />
        <Stat label="Spent today" value={spendOf(today)} note={<UsageLink period="day" text="See today" />} />
        <Stat label="Spent this month" value={spendOf(month)} note={<UsageLink period="month" text="See usage" />} />
        <Stat
          label="Requests this month"
          value={month.data === undefined ? PENDING : formatCount(month.data.totals.requests)}
          note={
            <Link to="/generations" search={{}} className={textLinkClass}>
              See each of them
            </Link>
          }
        />
      </StatRow>
    </>
  );
}

function UsageLink({ period, text }: Readonly<{ period: 'day' | 'month'; text: string }>) {
  return (
    <Link to="/usage" search={{ period }} className={textLinkClass}>
      {text}
    </Link>
  );
}
