// The top-ups that a person ordered for the account, with the receipts of those that were paid.

import { useInfiniteQuery, useMutation } from '@tanstack/react-query';
import { Download, Receipt } from 'lucide-react';
import { readReceipt, type TopUp, topUpsQuery } from '../../api/top-ups.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { ErrorNotice } from '../../ui/error-notice.tsx';
import { formatUsd } from '../../ui/format.ts';
import { Moment } from '../../ui/moment.tsx';
import { MoreButton } from '../../ui/more-button.tsx';
import { QueryView } from '../../ui/query-view.tsx';
import { saveFile } from '../../ui/save-file.ts';
import { Cell, Table } from '../../ui/table.tsx';
import { textLinkClass } from '../../ui/text-link.ts';
import { charged } from './price-lines.ts';
import { TOP_UP_STATES } from './top-up-states.ts';

const COLUMNS = [
  { label: 'Ordered' },
  { label: 'State' },
  { label: 'Credit', isNumber: true },
  { label: 'Price', isNumber: true },
  { label: 'Through' },
  { label: 'Receipt', isHidden: true },
];

export function TopUpHistory({ orgId }: Readonly<{ orgId: string | undefined }>) {
  const query = useInfiniteQuery(topUpsQuery(orgId));
  return (
    <Card title="Top-ups" description="Those that you ordered yourself." isFlush>
      <QueryView query={query}>
        {({ pages }) => {
          const topUps = pages.flatMap(({ data }) => data);
          if (topUps.length === 0) {
            return (
              <EmptyState icon={<Receipt size={22} />} title="Nothing bought yet">
                Each top-up is listed here with its receipt.
              </EmptyState>
            );
          }
          return (
            <>
              <TopUpTable topUps={topUps} orgId={orgId} />
              <MoreButton list={query} verb="Show older ones" />
            </>
          );
        }}
      </QueryView>
    </Card>
  );
}

function TopUpTable({ topUps, orgId }: Readonly<{ topUps: readonly TopUp[]; orgId: string | undefined }>) {
  const receipt = useMutation({
    mutationFn: async (id: string) => saveFile(`receipt-${id}.txt`, await readReceipt(id, orgId)),
  });
  return (
    <>
      {receipt.error !== null && (
        <div className="px-5 pb-3">
          <ErrorNotice error={receipt.error} />
        </div>
      )}
      <Table label="Top-ups" columns={COLUMNS}>
        {topUps.map((topUp) => (
          <tr key={topUp.id}>
            <Cell>
              <Moment at={topUp.createdAt} />
            </Cell>
            <Cell>
              <Badge tone={TOP_UP_STATES[topUp.state][0]}>{TOP_UP_STATES[topUp.state][1]}</Badge>
            </Cell>
            <Cell isNumber>
              {formatUsd(topUp.creditUsd)}
              {topUp.reclaimedUsd > 0 && (
                <div className="mt-1">
                  <Badge tone="warn">{formatUsd(topUp.reclaimedUsd)} taken back</Badge>
                </div>
              )}
            </Cell>
            <Cell isNumber>{charged(topUp)}</Cell>
            <Cell>{topUp.provider}</Cell>
            <Cell className="text-right">
              {topUp.paidAt !== null && (
                <Button isSmall onClick={() => receipt.mutate(topUp.id)}>
                  <Download size={15} aria-hidden="true" /> Receipt
                </Button>
              )}
              {topUp.checkoutUrl !== null && (
                <a href={topUp.checkoutUrl} className={textLinkClass}>
                  Pay
                </a>
              )}
            </Cell>
          </tr>
        ))}
      </Table>
    </>
  );
}
