// Credit that the operator gives, which a user needs before calling a paid model. A reference makes it safe to repeat
// when the answer was lost.

import { type Command, type CommandInput, checkedAmount, operand, UsageError } from '../command.ts';
import { formatFields } from '../table.ts';
import { userPath } from './users.ts';

export const creditOptions: Command['options'] = {
  note: { value: 'TEXT', summary: 'Why; it is kept with the entry.' },
  reference: { value: 'TEXT', summary: 'Names the payment; the same one counts once, so that repeating is safe.' },
};

export function giveCredit(input: CommandInput, accountPath: string): Promise<unknown> {
  const amountUsd = checkedAmount('AMOUNT', operand(input, 'AMOUNT'), 1n);
  const { note = 'Operator credit', reference } = input.options;
  // The reference is sent in a header.
  if (reference !== undefined && !/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(reference)) {
    throw new UsageError('--reference is 1 to 200 letters, digits and signs of ASCII.');
  }
  return input.operator().call('POST', `${accountPath}/credits`, { amountUsd, note }, reference);
}

export const accountCommands: readonly Command[] = [
  {
    words: ['credit'],
    operands: ['USER_ID', 'AMOUNT'],
    options: creditOptions,
    summary: 'Add USD to the balance of a user.',
    example: 'credit ann@example.com 25 --note "invoice 7" --reference wire-7',
    async run(input) {
      const account = await giveCredit(input, userPath(input));
      return { json: account, text: formatFields(account) };
    },
  },
];
