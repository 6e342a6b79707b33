// Keys that the operator makes. A new key is printed once, and can never be printed again.

import { readFileSync } from 'node:fs';
import { type Command, CommandError, type CommandInput, type CommandOption, operand } from '../command.ts';
import { formatFields, formatTable, type Row } from '../table.ts';
import { userPath } from './users.ts';

const COLUMNS = ['id', 'name', 'type', 'ends with', 'enabled', 'last used', 'requests'];

export const keyTypeOption: CommandOption = {
  value: 'standard|management',
  summary: 'Standard keys call models; management keys manage keys.',
  choices: ['standard', 'management'],
};

const keyPath = (input: CommandInput): string => `/admin/v1/keys/${encodeURIComponent(operand(input, 'KEY_ID'))}`;

function keyTable(answer: unknown): string {
  const { keys } = answer as { keys: readonly Row[] };
  if (keys.length === 0) return 'This user has no keys.';
  const rows = keys.map((key) => ({
    id: key.id,
    name: key.name,
    type: key.keyType,
    'ends with': key.keySuffix,
    enabled: key.enabled,
    'last used': key.lastUsed,
    requests: key.requestCount,
  }));
  return formatTable(COLUMNS, rows);
}

const setEnabled = (isEnabled: boolean): Command['run'] => {
  return async (input) => {
    const answer = await input.operator().call('PATCH', keyPath(input), { enabled: isEnabled });
    return { json: answer, text: `${operand(input, 'KEY_ID')} is ${isEnabled ? 'enabled' : 'refused from now on'}.` };
  };
};

/** Never an argument, because other users of the machine can see arguments. */
function readText(input: CommandInput): string {
  const file = operand(input, 'FILE');
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file, 'utf8');
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${error instanceof Error ? error.message : 'unknown reason'}`);
  }
}

export const keyCommands: readonly Command[] = [
  {
    words: ['key', 'create'],
    operands: ['USER_ID'],
    options: {
      name: { value: 'TEXT', summary: 'What the key is for.', isRequired: true },
      type: keyTypeOption,
    },
    summary: 'Create an API key. It is shown only once.',
    example: 'key create usr-1 --name laptop',
    async run(input) {
      const keyType = input.options.type ?? 'standard';
      const key = await input.operator().call('POST', `${userPath(input)}/keys`, { name: input.options.name, keyType });
      return { json: key, text: `${formatFields(key)}\n\nThe key is shown this once.` };
    },
  },
  {
    words: ['key', 'list'],
    operands: ['USER_ID'],
    options: {},
    summary: 'List the keys of a user, those of organizations too.',
    example: 'key list usr-1',
    async run(input) {
      const answer = await input.operator().call('GET', `${userPath(input)}/keys`);
      return { json: answer, text: keyTable(answer) };
    },
  },
  {
    words: ['key', 'disable'],
    operands: ['KEY_ID'],
    options: {},
    summary: 'Refuse a key until it is enabled again.',
    example: 'key disable key-1',
    run: setEnabled(false),
  },
  {
    words: ['key', 'enable'],
    operands: ['KEY_ID'],
    options: {},
    summary: 'Let a disabled key call again.',
    example: 'key enable key-1',
    run: setEnabled(true),
  },
  {
    words: ['key', 'leaked'],
    operands: ['FILE'],
    options: { place: { value: 'TEXT', summary: 'Where it was seen, such as a URL. The holder is told.' } },
    summary: 'Find our keys in a text that was seen in public (- for what is piped in), and tell their holders.',
    example: 'key leaked paste.txt --place https://example.com/paste/1',
    async run(input) {
      const { place } = input.options;
      const body = { text: readText(input), ...(place === undefined ? {} : { place }) };
      const answer = (await input.operator().call('POST', '/admin/v1/keys/leaked', body)) as { keys: readonly Row[] };
      const columns = ['id', 'name', 'userId', 'accountId', 'enabled', 'leakedAt', 'leakPlace'];
      const text = answer.keys.length === 0 ? 'None of our keys is in it.' : formatTable(columns, answer.keys);
      return { json: answer, text };
    },
  },
  {
    words: ['key', 'revoke'],
    operands: ['KEY_ID'],
    options: {},
    summary: 'Revoke a key forever.',
    example: 'key revoke key-1',
    async run(input) {
      await input.operator().call('DELETE', keyPath(input));
      return { json: { revoked: true }, text: `${operand(input, 'KEY_ID')} is revoked.` };
    },
  },
];
