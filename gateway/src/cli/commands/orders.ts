// Top-ups as the operator sees them, with what is needed to find one at its payment provider.

import type { Command } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatTable, type Row } from '../table.ts';

const COLUMNS = ['id', 'state', 'creditUsd', 'totalUsd', 'accountId', 'provider', 'sessionId', 'createdAt'];

function orderList(answer: unknown): string {
  const { data, next } = answer as { data: readonly Row[]; next: string | null };
  if (data.length === 0) return 'There is no such order.';
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
      limit: { value: 'NUMBER', summary: 'How many at once: 50 unless said, 100 at most.' },
      after: { value: 'ID', summary: 'Where the page before ended.' },
    },
    summary: 'List top-ups, the newest first.',
    example: 'orders --state paying',
    async run(input) {
      const path = `/admin/v1/orders${queryText(input, ['state', 'limit', 'after'])}`;
      const answer = await input.operator().call('GET', path);
      return { json: answer, text: orderList(answer) };
    },
  },
];
