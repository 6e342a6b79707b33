// The result of the payment from which the person has just returned. The provider tells the gateway, not the browser,
// so the page asks until it knows.

import { useQuery, useQueryClient } from '@tanstack/react-query';
import { CircleCheck, Clock } from 'lucide-react';
import { useEffect } from 'react';
import { accountQuery } from '../../api/account.ts';
import { topUpQuery, topUpsQuery } from '../../api/top-ups.ts';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatUsd } from '../../ui/format.ts';
import { Notice } from '../../ui/notice.tsx';
import { textLinkClass } from '../../ui/text-link.ts';

export function ReturnedTopUp({ id, orgId }: Readonly<{ id: string; orgId: string | undefined }>) {
  const { data: topUp, error } = useQuery(topUpQuery(id, orgId));
  const queryClient = useQueryClient();
  const state = topUp?.state;
  useEffect(() => {
    if (state !== 'paid') return;
    void queryClient.invalidateQueries({ queryKey: accountQuery(orgId).queryKey });
    void queryClient.invalidateQueries({ queryKey: topUpsQuery(orgId).queryKey });
  }, [state, orgId, queryClient]);
  if (error !== null) return <ErrorNotice error={error} />;
  if (topUp === undefined) return null;
  switch (topUp.state) {
    case 'paid':
      return (
        <Notice tone="good" icon={<CircleCheck size={18} />}>
          Thank you: {formatUsd(topUp.creditUsd)} were added.
        </Notice>
      );
    case 'expired':
      return <Notice tone="warn">This payment was not completed in time. Nothing was charged.</Notice>;
    default:
      return (
        <Notice icon={<Clock size={18} />}>
          Waiting for the confirmation of your payment of {formatUsd(topUp.totalUsd)}. It usually takes a few seconds.{' '}
          {topUp.checkoutUrl !== null && (
            <a href={topUp.checkoutUrl} className={textLinkClass}>
              Not paid yet? Continue here.
            </a>
          )}
        </Notice>
      );
  }
}
