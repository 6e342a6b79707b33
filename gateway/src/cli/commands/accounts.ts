// Credit by the operator's hand: what has to be there before a user can call a model.

import { checkedAmount } from '../amount.ts';
import { type Command, operand } from '../command.ts';
import { formatFields } from '../table.ts';
import { userPath } from './users.ts';

export const accountCommands: readonly Command[] = [
  {
    words: ['credit'],
    operands: ['USER_ID', 'AMOUNT'],
    options: { note: { value: 'TEXT', summary: 'Why; it is kept with the entry.' } },
    summary: 'Add USD to the balance of a user.',
    async run(input) {
      const amountUsd = checkedAmount('AMOUNT', operand(input, 'AMOUNT'), 1n);
      const note = input.options.note ?? 'Operator credit';
      const account = await input.operator().call('POST', `${userPath(input)}/credits`, { amountUsd, note });
      return { json: account, text: formatFields(account) };
    },
  },
];
