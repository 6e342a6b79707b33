// The people who operate the gateway: the first owner is appointed here, with the operator token.

import { ROLES } from '../../contract/operators.ts';
import { type Command, CommandError, type CommandInput, operand } from '../command.ts';
import { formatFields, formatTable, type Row } from '../table.ts';

const role = { value: ROLES.join('|'), summary: 'What the operator may do.', choices: ROLES };

type Listed = Row & Readonly<{ userId: string; email: string }>;

const listed = async (input: CommandInput): Promise<readonly Listed[]> =>
  ((await input.operator().call('GET', '/admin/v1/operators')) as { operators: readonly Listed[] }).operators;

export const operatorCommands: readonly Command[] = [
  {
    words: ['operator', 'list'],
    operands: [],
    options: {},
    summary: 'List the people who operate this gateway.',
    example: 'operator list',
    async run(input) {
      const operators = await listed(input);
      const table = formatTable(['email', 'role', 'name', 'userId', 'createdAt'], operators);
      return {
        json: { operators },
        text: operators.length === 0 ? 'There are none besides the operator token.' : table,
      };
    },
  },
  {
    words: ['operator', 'add'],
    operands: ['EMAIL'],
    options: { role: { ...role, isRequired: true } },
    summary: 'Make somebody who has an account here an operator, or change the role of one.',
    example: 'operator add ann@example.com --role owner',
    async run(input) {
      const body = { email: operand(input, 'EMAIL'), role: input.options.role };
      const answer = await input.operator().call('POST', '/admin/v1/operators', body);
      return { json: answer, text: formatFields(answer) };
    },
  },
  {
    words: ['operator', 'remove'],
    operands: ['EMAIL'],
    options: {},
    summary: 'Dismiss an operator; the account stays.',
    example: 'operator remove ann@example.com',
    async run(input) {
      const email = operand(input, 'EMAIL');
      const found = (await listed(input)).find((it) => it.email.toLowerCase() === email.toLowerCase());
      if (found === undefined) throw new CommandError(`${email} is no operator.`);
      await input.operator().call('DELETE', `/admin/v1/operators/${encodeURIComponent(found.userId)}`);
      return { json: { removed: true }, text: `${email} is no operator any more.` };
    },
  },
];
