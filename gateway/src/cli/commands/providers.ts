// Providers from the command line: connecting one by its preset, testing it, listing them. A key is taken from the
// environment or asked for without showing it; it is never an argument, because other users of the machine can see
// arguments.

import { readFileSync } from 'node:fs';
import type {
  ConnectedAnswer,
  DiscoveryAnswer,
  OfferView,
  ProviderList,
  ProviderTestAnswer,
  VendorList,
  VendorView,
} from '../../contract/providers.ts';
import { isWanted } from '../ask.ts';
import {
  type Command,
  CommandError,
  type CommandInput,
  type CommandResult,
  isSaid,
  operand,
  UsageError,
} from '../command.ts';
import { nearest } from '../nearest.ts';
import { queryOf } from '../query-text.ts';
import { formatTable } from '../table.ts';

const PATH = '/admin/v1/providers';
const OFFERS_SHOWN = 40;

async function vendorNamed(input: CommandInput, name: string): Promise<VendorView> {
  const { data } = (await input.operator().call('GET', '/admin/v1/vendors')) as VendorList;
  const vendor = data.find((it) => it.name === name);
  if (vendor !== undefined) return vendor;
  const names = data.map((it) => it.name);
  const meant = nearest(name, names);
  throw new CommandError(
    `There is no preset ${name}.${meant === null ? '' : ` Did you mean ${meant}?`} There are ${names.join(', ')}.`,
  );
}

/** From the named variable, from the vendor's own variable, or asked for. */
async function readKey(input: CommandInput, vendor: VendorView): Promise<string | undefined> {
  const named = input.options['key-env'];
  const fromEnvironment = (variable: string): string | undefined => {
    const value = input.environment[variable]?.trim();
    return value === '' ? undefined : value;
  };
  if (named !== undefined) {
    const key = fromEnvironment(named);
    if (key === undefined) throw new CommandError(`The environment variable ${named} is not set.`);
    return key;
  }
  const key = vendor.keyVariable === null ? undefined : fromEnvironment(vendor.keyVariable);
  if (key !== undefined || !vendor.isKeyNeeded) return key;
  if (input.ask === null) {
    throw new CommandError(
      `${vendor.title} needs a key: set ${vendor.keyVariable}, or name a variable with --key-env.`,
    );
  }
  const typed = await input.ask.secret(`The API key of ${vendor.title} (not shown): `);
  if (typed === '') throw new CommandError('No key was given.');
  return typed;
}

/** `name=value`, separated by commas; the value `@FILE` stands for the content of the file. */
function readSettings(text: string | undefined): Record<string, string> {
  if (text === undefined) return {};
  const pairs = text.split(',').map((pair) => {
    const [name = '', ...rest] = pair.split('=');
    const value = rest.join('=').trim();
    if (name.trim() === '' || value === '') throw new UsageError('--set is NAME=VALUE, several separated by commas.');
    return [name.trim(), value.startsWith('@') ? readFile(value.slice(1)) : value] as const;
  });
  return Object.fromEntries(pairs);
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new CommandError(`${file} cannot be read.`, { cause });
  }
}

const readNames = (text: string): string[] =>
  text
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const OFFER_COLUMNS = ['model', 'prompt', 'completion', 'price from', 'note'];

const offerRow = ({ id, pricing, priceSource, skip, notes }: OfferView) => ({
  model: id,
  prompt: pricing?.prompt ?? null,
  completion: pricing?.completion ?? null,
  'price from': priceSource ?? 'nobody knows it',
  note: skip ?? notes.join(' '),
});

/** Null: the gateway chooses. */
async function chooseModels(input: CommandInput, request: object): Promise<string[] | null> {
  if (input.options.models !== undefined) return readNames(input.options.models);
  if (isSaid(input, 'all') || input.ask === null || isSaid(input, 'yes')) return null;
  const { offers, refusal } = (await input.operator().call('POST', `${PATH}/discover`, request)) as DiscoveryAnswer;
  if (refusal !== null) throw new CommandError(`${refusal.message} (${refusal.reason})`);
  const useful = offers.filter(({ skip }) => skip === null);
  const more = useful.length > OFFERS_SHOWN ? [`and ${useful.length - OFFERS_SHOWN} more`] : [];
  input.tell([formatTable(OFFER_COLUMNS, useful.slice(0, OFFERS_SHOWN).map(offerRow)), ...more].join('\n'));
  const priced = useful.filter(({ isPriced }) => isPriced);
  input.tell(`Prices are in USD per million tokens. ${priced.length} of ${useful.length} have one.`);
  const typed = await input.ask.line('Which ones? Names separated by commas, or Enter for all that have a price: ');
  return typed === '' || typed === 'all' ? priced.map(({ id }) => id) : readNames(typed);
}

async function addProvider(input: CommandInput): Promise<CommandResult> {
  const operator = input.operator();
  const vendor = await vendorNamed(input, operand(input, 'PRESET'));
  const { name, 'base-url': baseUrl } = input.options;
  const apiKey = await readKey(input, vendor);
  const settings = readSettings(input.options.set);
  const request = { preset: vendor.name, name, baseUrl, apiKey, settings };
  const models = await chooseModels(input, request);
  const { USER: author } = input.environment;
  const body = { ...request, ...(models === null ? { all: isSaid(input, 'all') } : { models }), author };
  const send = async (query: Record<string, string | number | boolean | null>, more: object = {}) =>
    (await operator.call('POST', PATH + queryOf(query), { ...body, ...more })) as ConnectedAnswer;
  const shown = await send({ dry_run: true });
  if (isSaid(input, 'dry-run') || shown.changes.length === 0) return connectedOutcome(shown);
  if (!(await isWanted(input, shown))) return { json: shown, text: 'Nothing was changed.', isFailure: true };
  // The vendor has answered a moment ago, so it is not tested again.
  return connectedOutcome(await send({ revision: shown.revision }, { test: false }));
}

function connectedOutcome(answer: ConnectedAnswer): CommandResult {
  const { provider, models, unpriced, offered, simulatedModels } = answer;
  const rows = models.slice(0, OFFERS_SHOWN).map(offerRow);
  const more = models.length > rows.length ? [`and ${models.length - rows.length} more`] : [];
  const lines = [
    ...(rows.length === 0 ? [] : [formatTable(OFFER_COLUMNS, rows), ...more, '']),
    answer.applied
      ? `${provider} is connected with ${models.length} of ${offered} models (revision ${answer.revision}).`
      : answer.changes.length === 0
        ? `${provider} is connected already; nothing differs.`
        : `${provider} would be connected with ${models.length} of ${offered} models. Nothing was changed.`,
    ...(models.length === 0 ? [`No model was chosen: say --models NAMES or --all.`] : []),
    ...(unpriced.length === 0
      ? []
      : [`Left out, because their price is not known: ${listed(unpriced)}. --models adds one without a price.`]),
    ...(models.some(({ isPriced }) => !isPriced)
      ? [
          `Calls are refused until these have a price: ${listed(models.filter((it) => !it.isPriced).map((it) => it.id))}.`,
        ]
      : []),
    ...(models.some(({ priceSource }) => priceSource === 'own machine')
      ? ['Models of your own machine cost nothing: anybody with a key can call them without credit.']
      : []),
    ...(simulatedModels === 0 ? [] : [`${simulatedModels} other models are still answered by the simulator.`]),
  ];
  return { json: answer, text: lines.join('\n') };
}

const listed = (names: readonly string[]): string =>
  names.length <= 10 ? names.join(', ') : `${names.slice(0, 10).join(', ')} and ${names.length - 10} more`;

export const providerCommands: readonly Command[] = [
  {
    words: ['provider', 'add'],
    operands: ['PRESET'],
    options: {
      name: { value: 'NAME', summary: "Its name for routes; the preset's name by default." },
      'base-url': { value: 'URL', summary: "Its address, where it differs from the preset's." },
      'key-env': {
        value: 'VARIABLE',
        summary: "The environment variable that holds its key; the vendor's own by default.",
      },
      set: {
        value: 'NAME=VALUE',
        summary: 'What a vendor needs besides a key, such as region=us-east-1; @FILE for the content of a file.',
      },
      models: { value: 'NAMES', summary: 'These models, separated by commas.' },
      all: { summary: 'All models that have a price.' },
      'dry-run': { summary: 'Show what would change, and change nothing.' },
      yes: { summary: 'Do not ask.' },
    },
    summary: 'Connect a vendor: test its key, and add its models at their prices.',
    example: 'provider add openai --models gpt-4o-mini',
    run: addProvider,
  },
  {
    words: ['provider', 'test'],
    operands: ['NAME'],
    options: {},
    summary: 'Test a provider: its key, its list of models, one small call, and its prices.',
    example: 'provider test openai',
    async run(input) {
      const path = `${PATH}/${encodeURIComponent(operand(input, 'NAME'))}/test`;
      const report = (await input.operator().call('POST', path)) as ProviderTestAnswer;
      const lines = [
        ...report.checks.map(
          ({ ok, name, reason, message }) =>
            `${ok ? 'ok    ' : 'failed'}  ${name}: ${message}${reason === null ? '' : ` (${reason})`}`,
        ),
        ...report.gone.map((id) => `gone    ${id} is not listed any more; its calls will fail`),
        ...report.otherPrices.map(({ model, message }) => `price   ${model}: ${message}`),
      ];
      return { json: report, text: lines.join('\n'), isFailure: !report.ok };
    },
  },
  {
    words: ['provider', 'list'],
    operands: [],
    options: {},
    summary: 'List the providers: who they are, where, and how many models they serve.',
    example: 'provider list',
    async run(input) {
      const list = (await input.operator().call('GET', PATH)) as ProviderList;
      const rows = list.data.map(({ name, title, protocol, baseUrl, models, unpricedModels, isSimulated, hasKey }) => ({
        name,
        vendor: isSimulated ? 'simulator' : title,
        protocol,
        url: baseUrl,
        key: hasKey ? 'stored' : 'none',
        models,
        unpriced: unpricedModels.length,
      }));
      return {
        json: list,
        text: formatTable(['name', 'vendor', 'protocol', 'url', 'key', 'models', 'unpriced'], rows),
      };
    },
  },
  {
    words: ['provider', 'presets'],
    operands: [],
    options: {},
    summary: 'List the vendors that can be connected.',
    example: 'provider presets',
    async run(input) {
      const list = (await input.operator().call('GET', '/admin/v1/vendors')) as VendorList;
      const rows = list.data.map(({ name, title, keyVariable, settings, documentation }) => ({
        ...{ name, title, key: keyVariable, documentation },
        needs: Object.keys(settings).join(', '),
      }));
      return { json: list, text: formatTable(['name', 'title', 'key', 'needs', 'documentation'], rows) };
    },
  },
];
