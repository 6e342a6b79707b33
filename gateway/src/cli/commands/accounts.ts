// Credit that the operator gives, which a user needs before calling a paid model. A reference makes it safe to repeat
// when the answer was lost; where none is given, one is made up and told when it is needed.

import { newId } from '../../platform/ids.ts';
import { type Command, type CommandInput, checkedAmount, operand, UncertainError, UsageError } from '../command.ts';
import { formatFields } from '../table.ts';
import { userPath } from './users.ts';

export const creditOptions: Command['options'] = {
  note: { value: 'TEXT', summary: 'Why; it is kept with the entry.' },
  reference: { value: 'TEXT', summary: 'Names the payment; the same one counts once, so that repeating is safe.' },
};

/** Moves money under the reference that was given, or under a new one, which is told where nobody knows the outcome. */
export async function moveOnce(
  { options: { reference } }: CommandInput,
  move: (reference: string) => Promise<unknown>,
): Promise<unknown> {
  if (reference !== undefined) {
    // It is sent in a header.
    if (/^[\x21-\x7e](?:[\x20-\x7e]{0,198}[\x21-\x7e])?$/.test(reference)) return move(reference);
    throw new UsageError('--reference is 1 to 200 letters, digits and signs of ASCII.');
  }
  const made = newId('txn');
  return move(made).catch((cause: unknown) => {
    if (!(cause instanceof UncertainError)) throw cause;
    throw new UncertainError(`${cause.message} Repeated with --reference ${made}, it counts once.`, { cause });
  });
}

export function giveCredit(input: CommandInput, accountPath: string): Promise<unknown> {
  const amountUsd = checkedAmount('AMOUNT', operand(input, 'AMOUNT'), 1n);
  const { note = 'Operator credit' } = input.options;
  return moveOnce(input, (reference) =>
    input.operator().call('POST', `${accountPath}/credits`, { amountUsd, note }, reference),
  );
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
