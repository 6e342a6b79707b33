// Codes that people redeem for credit: made in batches, listed, withdrawn.

import type { CodeBatchList, NewCodesAnswer } from '../../contract/codes.ts';
import { type Command, checkedAmount, operand } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatTable } from '../table.ts';

const COLUMNS = ['id', 'amountUsd', 'codes', 'redeemed', 'voided', 'expiresAt', 'createdAt', 'note'];

function batchList({ batches, next }: CodeBatchList): string {
  if (batches.length === 0) return 'There are no codes.';
  const table = formatTable(COLUMNS, batches);
  return next === null ? table : `${table}\n\nThere are more: --cursor ${next}`;
}

export const codeCommands: readonly Command[] = [
  {
    words: ['codes', 'make'],
    operands: ['COUNT', 'AMOUNT'],
    options: {
      note: { value: 'TEXT', summary: 'The person who redeems one reads it.' },
      expires: { value: 'TIME', summary: 'When they expire, in ISO 8601.' },
    },
    summary: 'Make codes that people redeem for credit of so many USD each. They are shown only once.',
    example: 'codes make 20 5 --note Workshop',
    async run(input) {
      const { note, expires } = input.options;
      const body = {
        count: Number(operand(input, 'COUNT')),
        amountUsd: checkedAmount('AMOUNT', operand(input, 'AMOUNT'), 1n),
        ...(note === undefined ? {} : { note }),
        ...(expires === undefined ? {} : { expiresAt: expires }),
      };
      const answer = (await input.operator().call('POST', '/admin/v1/codes', body)) as NewCodesAnswer;
      return { json: answer, text: [`Batch ${answer.batchId}`, '', ...answer.codes].join('\n') };
    },
  },
  {
    words: ['codes', 'list'],
    operands: [],
    options: {
      limit: { value: 'NUMBER', summary: 'How many at once: 50 by default, 100 at most.' },
      cursor: { value: 'ID', summary: 'Where the previous page ended.' },
    },
    summary: 'List batches of codes, the newest first.',
    example: 'codes list',
    async run(input) {
      const path = `/admin/v1/codes${queryText(input, ['limit', 'cursor'])}`;
      const answer = (await input.operator().call('GET', path)) as CodeBatchList;
      return { json: answer, text: batchList(answer) };
    },
  },
  {
    words: ['codes', 'withdraw'],
    operands: ['BATCH_ID'],
    options: {},
    summary: 'Withdraw the unused codes of a batch.',
    example: 'codes withdraw cob-1',
    async run(input) {
      await input.operator().call('DELETE', `/admin/v1/codes/${encodeURIComponent(operand(input, 'BATCH_ID'))}`);
      return { json: { withdrawn: true }, text: 'The unused codes are withdrawn.' };
    },
  },
];
