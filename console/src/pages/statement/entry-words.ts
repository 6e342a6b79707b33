// The name of a statement's entry, and what it is about.

import type { EntryKind, StatementEntry } from '../../api/statement.ts';
import { formatCount } from '../../ui/format.ts';

const KINDS: Readonly<Record<EntryKind, string>> = {
  top_up: 'Top-up',
  credit: 'Operator credit',
  welcome_credit: 'Welcome credit',
  code_credit: 'Redeemed code',
  payment: 'Payment of a month',
  charge: 'Charge',
  adjustment: 'Adjustment',
  refund: 'Refund',
  reversal: 'Payment taken back',
  reversal_undone: 'Payment given back',
};

export const kindText = (kind: EntryKind): string => KINDS[kind];

/** Its note, the model that was called, or how many calls it stands for. */
export function aboutText({ note, model, calls }: StatementEntry): string {
  if (note !== null) return note;
  if (calls !== null) return calls === 1 ? '1 call' : `${formatCount(calls)} calls`;
  return model ?? '';
}

/** With its sign, so that credits and debits differ without colour. */
export const signedUsd = (amount: number, format: (amount: number) => string): string =>
  amount > 0 ? `+${format(amount)}` : format(amount);
