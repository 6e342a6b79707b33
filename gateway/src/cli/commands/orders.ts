// Top-ups as the operator sees them, with what is needed to find one at its payment provider.

import { type Command, checkedAmount, operand } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields, formatTable, type Row } from '../table.ts';

const COLUMNS = ['id', 'state', 'creditUsd', 'totalUsd', 'email', 'accountId', 'provider', 'sessionId', 'createdAt'];

function orderList(answer: unknown): string {
  const { data, next } = answer as { data: readonly Row[]; next: string | null };
  if (data.length === 0) return 'No orders were found.';
  const table = formatTable(COLUMNS, data);
  return next === null ? table : `${table}\n\nThere are more: --after ${next}`;
}

export const orderCommands: readonly Command[] = [
  {
    words: ['orders'],
    operands: [],
    options: {
      state: {
        value: 'STATE',
        summary: 'Only those in this state.',
        choices: ['created', 'expired', 'paying', 'paid'],
      },
      query: { value: 'TEXT', summary: 'Whose: an email, or an id of an order, user, account or payment.' },
      limit: { value: 'NUMBER', summary: 'How many at once: 50 by default, 100 at most.' },
      after: { value: 'ID', summary: 'Where the previous page ended.' },
    },
    summary: 'List top-ups, the newest first.',
    example: 'orders --state paying',
    async run(input) {
      const path = `/admin/v1/orders${queryText(input, ['state', 'query', 'limit', 'after'])}`;
      const answer = await input.operator().call('GET', path);
      return { json: answer, text: orderList(answer) };
    },
  },
  {
    words: ['orders', 'refund'],
    operands: ['ORDER_ID'],
    options: {
      reason: { value: 'TEXT', summary: 'Why, for the records.', isRequired: true },
      amount: { value: 'USD', summary: 'How much of its credit to take back; all that is left by default.' },
    },
    summary: 'Give the money of a top-up back through its provider, and take its credit.',
    example: 'orders refund ord-1 --reason "ordered twice"',
    async run(input) {
      const { reason, amount } = input.options;
      const body = { reason, ...(amount === undefined ? {} : { amountUsd: checkedAmount('--amount', amount, 1n) }) };
      const path = `/admin/v1/orders/${encodeURIComponent(operand(input, 'ORDER_ID'))}/refund`;
      const answer = await input.operator().call('POST', path, body);
      return { json: answer, text: formatFields(answer) };
    },
  },
];
