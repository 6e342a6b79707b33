// Every order of credit, newest first, with what finds it at the payment provider.

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { OrderRefundBody } from '../../../../../gateway/src/contract/payments.ts';
import { type Order, ordersQuery, refundOrder } from '../../../api/operator/system.ts';
import { OPERATOR_KEY } from '../../../api/operator/token.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/field.tsx';
import { FormDialog } from '../../../ui/form-dialog.tsx';
import { textIn, textOrNull } from '../../../ui/form-values.ts';
import { formatUsd } from '../../../ui/format.ts';
import { Moment } from '../../../ui/moment.tsx';
import { Page } from '../../../ui/page.tsx';
import { PagedTable } from '../../../ui/paged-table.tsx';
import { Segments } from '../../../ui/segments.tsx';
import { ShortId } from '../../../ui/short-id.tsx';
import { Cell } from '../../../ui/table.tsx';
import { textLinkClass } from '../../../ui/text-link.ts';
import { TOP_UP_STATES } from '../../credits/top-up-states.ts';
import { Allowed } from '../role.tsx';
import { SearchForm } from '../search-form.tsx';
import { useOperation } from '../use-operation.ts';

const STATES = [
  ['', 'All'],
  ['created', 'Not paid yet'],
  ['paying', 'On its way'],
  ['paid', 'Paid'],
  ['expired', 'Expired'],
] as const;

const COLUMNS = [
  { label: 'Order' },
  { label: 'User' },
  { label: 'Credit', isNumber: true },
  { label: 'To pay', isNumber: true },
  { label: 'State' },
  { label: 'Made' },
  { label: 'Refund', isHidden: true },
];

export function Orders() {
  const [state, setState] = useState<(typeof STATES)[number][0]>('');
  const [text, setText] = useState('');
  return (
    <Page title="Orders" description="Credit that was ordered and paid for, newest first.">
      <SearchForm label="Email or id" onSearch={setText} />
      <div>
        <Segments label="State" options={STATES} value={state} onChange={setState} />
      </div>
      <OrderList state={state} text={text} />
    </Page>
  );
}

function OrderList({ state, text }: Readonly<{ state: string; text: string }>) {
  const list = useInfiniteQuery(ordersQuery(state, text));
  return (
    <PagedTable list={list} label="Orders" columns={COLUMNS} rowsOf={({ data }) => data} empty="There are none.">
      {(order) => (
        <tr key={order.id}>
          <Cell className="font-mono text-xs">
            <ShortId id={order.id} />
            {order.sessionId !== null && (
              <p className="text-quiet">
                <span className="sr-only">At the provider: </span>
                <ShortId id={order.sessionId} />
              </p>
            )}
          </Cell>
          <Cell>
            <Link to="/operator/users/$userId" params={{ userId: order.userId }} className={textLinkClass}>
              {order.email ?? <ShortId id={order.userId} />}
            </Link>
            {order.accountId !== order.userId && (
              <p className="text-xs text-quiet">
                for{' '}
                <Link to="/operator/orgs/$orgId" params={{ orgId: order.accountId }} className={textLinkClass}>
                  <ShortId id={order.accountId} />
                </Link>
              </p>
            )}
          </Cell>
          <Cell isNumber>{formatUsd(order.creditUsd)}</Cell>
          <Cell isNumber>{formatUsd(order.totalUsd)}</Cell>
          <Cell>
            <Badge tone={TOP_UP_STATES[order.state][0]}>{TOP_UP_STATES[order.state][1]}</Badge>
          </Cell>
          <Cell>
            <Moment at={order.createdAt} />
          </Cell>
          <Cell className="text-right">
            {order.reclaimedUsd > 0 && <p className="text-xs text-quiet">{formatUsd(order.reclaimedUsd)} back</p>}
            {order.state === 'paid' && order.reclaimedUsd < order.creditUsd && (
              <Allowed least="support">
                <RefundOrderButton order={order} />
              </Allowed>
            )}
          </Cell>
        </tr>
      )}
    </PagedTable>
  );
}

function RefundOrderButton({ order }: Readonly<{ order: Order }>) {
  const [isOpen, setOpen] = useState(false);
  const refund = useOperation({
    run: (body: OrderRefundBody) => refundOrder(order.id, body),
    touches: [OPERATOR_KEY],
    done: 'The money is on its way back.',
    onDone: () => setOpen(false),
  });
  return (
    <>
      <Button isSmall aria-label={`Refund ${order.id}`} onClick={() => setOpen(true)}>
        Refund
      </Button>
      <FormDialog
        title={`Refund ${order.id}, a top-up of ${formatUsd(order.creditUsd)}`}
        verb="Refund"
        isOpen={isOpen}
        sending={refund}
        read={(form) => {
          const amountUsd = textOrNull(form, 'amountUsd');
          return { reason: textIn(form, 'reason'), ...(amountUsd === null ? {} : { amountUsd }) };
        }}
        onClose={() => setOpen(false)}
      >
        <TextField label="Reason" name="reason" required maxLength={500} />
        <TextField
          label="Credit to take back, USD"
          name="amountUsd"
          hint="Empty: all that is left of it. Credit that was spent already is taken back too."
        />
      </FormDialog>
    </>
  );
}
