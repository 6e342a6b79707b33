// An account's statement: every entry with the balance after it, for its holder and for the operator. Amounts are JSON
// numbers in USD; an amount that lowers the balance is negative.

import { Type } from '@sinclair/typebox';
import { count, listOf, moment, named, nextPage, oneOf, orNull, type Shape, text, usd } from './shape.ts';

export const ENTRY_KINDS = [
  'top_up',
  'credit',
  'welcome_credit',
  'code_credit',
  'payment',
  'charge',
  'adjustment',
  'refund',
  'reversal',
  'reversal_undone',
] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

const kind = oneOf(
  ENTRY_KINDS,
  'top_up was bought, credit given by the operator, payment settles a month; reversal goes back with a payment.',
);

const StatementEntry = Type.Object(
  {
    id: text('Its number in the journal; with by=day, that of the last charge of the day.'),
    at: moment('When it was entered.'),
    kind,
    amountUsd: usd('Below zero when it lowered the balance.'),
    balanceUsd: usd('What was left after it.'),
    note: orNull(text('What was written with it.')),
    reference: orNull(text('Of the payment, or as the operator gave it.')),
    generationId: orNull(text('The call that was charged or refunded.')),
    model: orNull(text('What was called, as long as the record of the call is kept.')),
    calls: orNull(count('With by=day: how many charges the row stands for.')),
  },
  named('StatementEntry'),
);
export type StatementEntry = Shape<typeof StatementEntry>;

export const AccountStatementAnswer = Type.Object(
  {
    accountId: text('Whose statement it is.'),
    from: orNull(
      moment('The first moment that counts; null for the beginning. Later than asked for where entries are archived.'),
    ),
    to: orNull(moment('The first moment that no longer counts; null for now.')),
    openingBalanceUsd: orNull(usd('At the beginning of the span. Only with the first page.')),
    closingBalanceUsd: orNull(usd('At its end. Only with the first page.')),
    totals: listOf(Type.Object({ kind, amountUsd: usd('All of them.') }), 'Only with the first page.'),
    entries: listOf(StatementEntry, 'The newest first.'),
    next: nextPage('cursor'),
  },
  named('AccountStatement'),
);
export type AccountStatementAnswer = Shape<typeof AccountStatementAnswer>;
