// Users who have left calls unpaid, who of them is restricted, and lifting a restriction.

import type { UserExposureList } from '../../contract/exposure.ts';
import { type Command, type CommandInput, type CommandResult, checkedAmount, operand } from '../command.ts';
import { formatFields, formatTable } from '../table.ts';
import { userIdOf } from './users.ts';

const PATH = '/admin/v1/exposures';

const accountOption: Command['options'] = {
  account: { value: 'ID', summary: 'The organization in whose account they called; by default their own.' },
};

const COLUMNS = [
  'userId',
  'accountId',
  'restricted',
  'restrictedUntil',
  'restrictedReason',
  'unpaidUsd',
  'allowanceUsd',
];

async function change(input: CommandInput, body: object): Promise<CommandResult> {
  const userId = await userIdOf(input, operand(input, 'USER_ID'));
  const [account, user] = [input.options.account ?? userId, userId].map(encodeURIComponent);
  const answer = await input.operator().call('PATCH', `${PATH}/${account}/${user}`, body);
  return { json: answer, text: formatFields(answer) };
}

export const exposureCommands: readonly Command[] = [
  {
    words: ['exposure', 'list'],
    operands: [],
    options: {},
    summary: 'Show who has left calls unpaid, and who is restricted for it.',
    example: 'exposure list',
    async run(input) {
      const answer = (await input.operator().call('GET', PATH)) as UserExposureList;
      const text =
        answer.exposures.length === 0 ? 'Nobody has left a call unpaid.' : formatTable(COLUMNS, answer.exposures);
      return { json: answer, text };
    },
  },
  {
    words: ['exposure', 'lift'],
    operands: ['USER_ID'],
    options: accountOption,
    summary: 'Lift a restriction, and clear the earlier ones.',
    example: 'exposure lift usr-1',
    run: (input) => change(input, { restricted: false }),
  },
  {
    words: ['exposure', 'raise'],
    operands: ['USER_ID', 'USD'],
    options: accountOption,
    summary: 'Set what is added to the allowance of a user; 0 takes it back.',
    example: 'exposure raise usr-1 5 --account org-1',
    run: (input) => change(input, { extraUsd: Number(checkedAmount('USD', operand(input, 'USD'), 0n)) }),
  },
];
