// Finding users and suspending them: what an operator does when somebody writes in or something goes wrong.

import { type Command, type CommandInput, operand } from '../command.ts';
import { queryText } from '../query-text.ts';
import { formatFields, formatTable, type Row } from '../table.ts';

export const userPath = (input: CommandInput): string =>
  `/admin/v1/users/${encodeURIComponent(operand(input, 'USER_ID'))}`;

/** An address may be given wherever an id is wanted, even where the operator API takes ids only. */
export async function userIdOf(input: CommandInput, name: string): Promise<string> {
  if (!name.includes('@')) return name;
  const user = await input.operator().call('GET', `/admin/v1/users/${encodeURIComponent(name)}`);
  return (user as Readonly<{ id: string }>).id;
}

const setSuspended = (isSuspended: boolean): Command['run'] => {
  return async (input) => {
    const user = await input.operator().call('PATCH', userPath(input), { suspended: isSuspended });
    const state = isSuspended ? 'suspended: its keys are refused from now on' : 'active again';
    return { json: user, text: `${operand(input, 'USER_ID')} is ${state}.` };
  };
};

function userList(answer: unknown): string {
  const { users, next } = answer as { users: readonly Row[]; next: string | null };
  if (users.length === 0) return 'No users were found.';
  const table = formatTable(['id', 'email', 'name', 'balanceUsd', 'suspended', 'createdAt'], users);
  return next === null ? table : `${table}\n\nThere are more: --cursor ${next}`;
}

function userDetail(answer: unknown): string {
  const { organizations } = answer as { organizations: readonly Row[] };
  const fields = formatFields(answer);
  return organizations.length === 0 ? fields : `${fields}\n\n${formatTable(['id', 'name', 'role'], organizations)}`;
}

export const userCommands: readonly Command[] = [
  {
    words: ['user', 'create'],
    operands: ['EMAIL'],
    options: { name: { value: 'TEXT', summary: 'The name to show; the address without it.' } },
    summary: 'Create a user with an empty account.',
    example: 'user create ann@example.com --name Ann',
    async run(input) {
      const email = operand(input, 'EMAIL');
      const user = await input.operator().call('POST', '/admin/v1/users', { email, name: input.options.name ?? email });
      return { json: user, text: formatFields(user) };
    },
  },
  {
    words: ['user', 'list'],
    operands: [],
    options: {
      query: { value: 'TEXT', summary: 'Any part of the name, the address or the id; or the end of a key.' },
      sort: { value: 'COLUMN', summary: 'created, name, email or balance.' },
      limit: { value: 'NUMBER', summary: 'How many at once: 50 by default, 100 at most.' },
      cursor: { value: 'ID', summary: 'Where the previous page ended.' },
    },
    summary: 'List or search users, the newest first.',
    example: 'user list --query ann',
    async run(input) {
      const path = `/admin/v1/users${queryText(input, ['query', 'sort', 'limit', 'cursor'])}`;
      const answer = await input.operator().call('GET', path);
      return { json: answer, text: userList(answer) };
    },
  },
  {
    words: ['user', 'show'],
    operands: ['USER_ID'],
    options: {},
    summary: 'Show a user: balance, keys, organizations.',
    example: 'user show usr-1',
    async run(input) {
      const user = await input.operator().call('GET', userPath(input));
      return { json: user, text: userDetail(user) };
    },
  },
  {
    words: ['user', 'suspend'],
    operands: ['USER_ID'],
    options: {},
    summary: 'Refuse all calls of a user.',
    example: 'user suspend usr-1',
    run: setSuspended(true),
  },
  {
    words: ['user', 'resume'],
    operands: ['USER_ID'],
    options: {},
    summary: 'Let a suspended user call again.',
    example: 'user resume usr-1',
    run: setSuspended(false),
  },
];
