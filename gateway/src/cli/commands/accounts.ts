// Users, their keys and their credit: what an operator does by hand before anyone can call a model.

import { parseUsd } from '../../platform/money.ts';
import { type Command, type CommandInput, operand, UsageError } from '../command.ts';
import { formatFields } from '../table.ts';

const userPath = (input: CommandInput): string => `/admin/v1/users/${encodeURIComponent(operand(input, 'USER_ID'))}`;

const setSuspended = (isSuspended: boolean): Command['run'] => {
  return async (input) => {
    const user = await input.operator().call('PATCH', userPath(input), { suspended: isSuspended });
    const state = isSuspended ? 'suspended: its keys are refused from now on' : 'active again';
    return { json: user, text: `${operand(input, 'USER_ID')} is ${state}.` };
  };
};

export const accountCommands: readonly Command[] = [
  {
    words: ['user', 'create'],
    operands: ['EMAIL'],
    options: { name: { value: 'TEXT', summary: 'The name to show; the address without it.' } },
    summary: 'Create a user with an empty account.',
    async run(input) {
      const email = operand(input, 'EMAIL');
      const user = await input.operator().call('POST', '/admin/v1/users', { email, name: input.options.name ?? email });
      return { json: user, text: formatFields(user) };
    },
  },
  {
    words: ['user', 'suspend'],
    operands: ['USER_ID'],
    options: {},
    summary: 'Refuse all calls of a user.',
    run: setSuspended(true),
  },
  {
    words: ['user', 'resume'],
    operands: ['USER_ID'],
    options: {},
    summary: 'Let a suspended user call again.',
    run: setSuspended(false),
  },
  {
    words: ['key', 'create'],
    operands: ['USER_ID'],
    options: {
      name: { value: 'TEXT', summary: 'What the key is for.', isRequired: true },
      type: { value: 'standard|management', summary: 'Standard keys call models; management keys manage keys.' },
    },
    summary: 'Create an API key. It is shown this once.',
    async run(input) {
      const keyType = input.options.type ?? 'standard';
      if (keyType !== 'standard' && keyType !== 'management') {
        throw new UsageError('--type is standard or management.');
      }
      const key = await input.operator().call('POST', `${userPath(input)}/keys`, { name: input.options.name, keyType });
      return { json: key, text: formatFields(key) };
    },
  },
  {
    words: ['credit'],
    operands: ['USER_ID', 'AMOUNT'],
    options: { note: { value: 'TEXT', summary: 'Why; it is kept with the entry.' } },
    summary: 'Add USD to the balance of a user.',
    async run(input) {
      const amountUsd = operand(input, 'AMOUNT');
      const amountNanoUsd = parseUsd(amountUsd);
      if (amountNanoUsd === null || amountNanoUsd === 0n) {
        throw new UsageError(`AMOUNT is in USD, above 0 with at most nine decimals: 25 or 0.5, not ${amountUsd}.`);
      }
      const note = input.options.note ?? 'Operator credit';
      const account = await input.operator().call('POST', `${userPath(input)}/credits`, { amountUsd, note });
      return { json: account, text: formatFields(account) };
    },
  },
];
