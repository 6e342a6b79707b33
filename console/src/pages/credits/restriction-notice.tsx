// Says that calls are refused because of unpaid cost, why, and until when; shows nothing otherwise.

import { useQuery } from '@tanstack/react-query';
import { exposuresQuery } from '../../api/exposure.ts';
import { formatUsd } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { Notice } from '../../ui/notice.tsx';

/** Without an organization: the person's own account, which is the first. */
export function RestrictionNotice({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const { data = [] } = useQuery(exposuresQuery);
  const found = orgId === undefined ? data[0] : data.find(({ accountId }) => accountId === orgId);
  if (found === undefined || !found.restricted) return null;
  return (
    <Notice tone="warn">
      <p className="font-medium">
        Your calls are refused until{' '}
        {found.restrictedUntil === null ? (
          'the operator of this gateway lifts it'
        ) : (
          <Moment at={found.restrictedUntil} />
        )}
        .
      </p>
      <p>
        {REASONS[found.restrictedReason ?? ''] ?? 'Your calls'} cost more than the {formatUsd(found.allowanceUsd)} that
        you may leave unpaid. Let calls finish: a finished call is charged and does not count against your allowance.
      </p>
    </Notice>
  );
}

const REASONS: Readonly<Record<string, string>> = {
  abandoned: 'Calls that you broke off',
  interrupted: 'Calls that were interrupted',
  exhausted: 'Streams that ran out of credit',
  oversize: 'Answers that were too large to be delivered',
  implausible: 'Calls whose usage nothing explains',
};
