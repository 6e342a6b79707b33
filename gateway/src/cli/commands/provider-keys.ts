// The keys of a provider from the command line. A new key is tried before it replaces the old one, and is never an
// argument, because other users of the machine can see arguments.

import type { AppliedConfig } from '../../contract/config-revisions.ts';
import type { ProviderList } from '../../contract/providers.ts';
import { applyChange } from '../apply-change.ts';
import { type Command, CommandError, type CommandInput, isSaid, operand, UsageError } from '../command.ts';
import { queryOf } from '../query-text.ts';
import { formatTable } from '../table.ts';

const PATH = '/admin/v1/providers';

const pathOf = (input: CommandInput): string =>
  `${PATH}/${encodeURIComponent(operand(input, 'NAME'))}/keys/${encodeURIComponent(operand(input, 'KEY'))}`;

function readWeight(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,4}$/.test(text)) throw new UsageError('--weight is a whole number from 0 to 1000.');
  return Number(text);
}

/** Undefined where only the weight changes. */
async function readKey(input: CommandInput): Promise<string | undefined> {
  const variable = input.options['key-env'];
  if (variable !== undefined) {
    const key = input.environment[variable]?.trim() ?? '';
    if (key === '') throw new CommandError(`The environment variable ${variable} is not set.`);
    return key;
  }
  if (input.options.weight !== undefined) return undefined;
  if (input.ask === null) throw new CommandError('Name the environment variable that holds the key with --key-env.');
  const typed = await input.ask.secret('The key (not shown): ');
  if (typed === '') throw new CommandError('No key was given.');
  return typed;
}

export const providerKeyCommands: readonly Command[] = [
  {
    words: ['provider', 'keys'],
    operands: ['NAME'],
    options: {},
    summary: 'List the keys of a provider, and which of them are not used for now.',
    example: 'provider keys acme',
    async run(input) {
      const { data } = (await input.operator().call('GET', PATH)) as ProviderList;
      const provider = data.find(({ name }) => name === operand(input, 'NAME'));
      if (provider === undefined) throw new CommandError('There is no provider of this name.');
      const rows = provider.keys.map(({ name, hint, weight, state, backInSeconds, limitedModels }) => ({
        ...{ name, key: hint, weight, state },
        'back in s': backInSeconds,
        'limited for': limitedModels.join(', '),
      }));
      const columns = ['name', 'key', 'weight', 'state', 'back in s', 'limited for'];
      return { json: { data: provider.keys }, text: formatTable(columns, rows) };
    },
  },
  {
    words: ['provider', 'set-key'],
    operands: ['NAME', 'KEY'],
    options: {
      'key-env': {
        value: 'VARIABLE',
        summary: 'The environment variable that holds it; without it the key is asked for.',
      },
      weight: {
        value: 'COUNT',
        summary: 'Its share of the calls beside the other keys; 1 by default, 0 for a spare.',
      },
      untested: { summary: 'Store it without asking the vendor.' },
    },
    summary: 'Add a key to a provider, or replace the one of this name once the new one has passed its test.',
    example: 'provider set-key acme second --key-env ACME_KEY_2',
    async run(input) {
      const weight = readWeight(input.options.weight);
      const apiKey = await readKey(input);
      const body = { apiKey, weight, test: !isSaid(input, 'untested'), author: input.environment.USER };
      const change = (await input.operator().call('PUT', pathOf(input), body)) as AppliedConfig;
      const last = change.applied ? `Applied as revision ${change.revision}.` : 'Nothing differs.';
      return { json: change, text: [...change.changes, last].join('\n') };
    },
  },
  {
    words: ['provider', 'remove-key'],
    operands: ['NAME', 'KEY'],
    options: { yes: { summary: 'Do not ask.' } },
    summary: 'Remove a key of a provider; calls under way still end with it.',
    example: 'provider remove-key acme main --yes',
    run: (input) =>
      applyChange(input, {
        send: (query) => input.operator().call('DELETE', pathOf(input) + queryOf(query)),
        isTrial: false,
        note: null,
      }),
  },
];
