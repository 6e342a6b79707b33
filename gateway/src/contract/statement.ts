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
  '`top_up` was bought, `credit` given by the operator, `payment` settles a month; `reversal` goes back with a payment.',
);

const StatementEntry = Type.Object(
  {
    id: text('Its number in the journal; with by=day, that of the last charge of the day.'),
    at: moment('When it was entered.'),
    kind,
    amountUsd: usd('The amount; negative when it lowered the balance.'),
    balanceUsd: usd('The balance after the entry.'),
    note: orNull(text('The note of the entry.')),
    reference: orNull(text('The reference of the payment, or the one that the operator gave.')),
    generationId: orNull(text('The call that was charged or refunded.')),
    model: orNull(text('The model, as long as the record of the call is kept.')),
    calls: orNull(count('With by=day: how many charges the row stands for.')),
  },
  named('StatementEntry'),
);
export type StatementEntry = Shape<typeof StatementEntry>;

export const AccountStatementAnswer = Type.Object(
  {
    accountId: text('Whose statement it is.'),
    from: orNull(
      moment('The beginning of the span; null for the first entry. Later than asked for where entries are archived.'),
    ),
    to: orNull(moment('The end of the span, which is not included; null for now.')),
    openingBalanceUsd: orNull(usd('At the beginning of the span. Only with the first page.')),
    closingBalanceUsd: orNull(usd('At its end. Only with the first page.')),
    totals: listOf(
      Type.Object({ kind, amountUsd: usd('The sum of the entries of this kind.') }),
      'Only with the first page.',
    ),
    entries: listOf(StatementEntry, 'Newest first.'),
    next: nextPage('cursor'),
  },
  named('AccountStatement'),
);
export type AccountStatementAnswer = Shape<typeof AccountStatementAnswer>;
