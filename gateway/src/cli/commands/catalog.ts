// Shows the catalog and applies a new document. `${NAME}` in the file is replaced here, from the environment of this
// command, because the gateway replaces variables only in the file that it starts with.

import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { ConfigDocument } from '../../contract/config.ts';
import type { ConfigRevisionDetail, ConfigRevisionList } from '../../contract/config-revisions.ts';
import { ConfigDocumentError } from '../../modules/catalog/config-problem.ts';
import { interpolate, parseDocumentText } from '../../modules/catalog/parse-document.ts';
import { applyChange } from '../apply-change.ts';
import { type Command, CommandError, isSaid, operand, type ProcessEnvironment } from '../command.ts';
import { queryOf, queryText } from '../query-text.ts';
import { formatTable, type Row } from '../table.ts';

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`${file} cannot be read.`, { cause });
  }
}

/** A variable that the gateway itself fills in is in the live document too, and stays as it is. */
function readDescription(file: string, text: string, environment: ProcessEnvironment, live: string): unknown {
  const kept = new Set([...live.matchAll(/\$\{(\w+)\}/g)].map(([, name = '']) => name));
  try {
    return interpolate(parseDocumentText(text), environment, kept);
  } catch (cause) {
    if (!(cause instanceof ConfigDocumentError)) throw cause;
    throw new CommandError([`${file} is not usable:`, ...cause.problems].join('\n  '), { cause });
  }
}

const REVISION_COLUMNS = ['revision', 'live', 'at', 'author', 'changes', 'note'];
const MODEL_COLUMNS = ['model', 'context', 'prompt', 'completion', 'per unit'];
const TOKEN_PRICES: ReadonlySet<string> = new Set([
  'prompt',
  'completion',
  'cache_read',
  'cache_write',
  'cache_write_1h',
]);

function modelRow(model: unknown): Row {
  const { id, context_length, pricing } = model as Record<string, unknown>;
  const prices = (pricing ?? {}) as Record<string, unknown>;
  const text = (value: unknown) => (value === undefined || value === null ? null : String(value));
  const byUnit = Object.keys(prices).filter((name) => !TOKEN_PRICES.has(name));
  return {
    model: text(id),
    context: text(context_length),
    prompt: text(prices.prompt),
    completion: text(prices.completion),
    'per unit': byUnit.length === 0 ? null : byUnit.map((name) => `${name} ${prices[name]}`).join(', '),
  };
}

/** Models with routes of their own; those found by pattern or default are not listed by name. */
function providerRows({ providers = {}, models = {} }: ConfigDocument): Row[] {
  const routes = Object.values(models).flatMap((model) => [...new Set((model.routes ?? []).map((it) => it.provider))]);
  return Object.entries(providers).map(([provider, { protocol, base_url: baseUrl }]) => ({
    provider,
    protocol,
    baseUrl,
    models: routes.filter((name) => name === provider).length,
  }));
}

export const catalogCommands: readonly Command[] = [
  {
    words: ['apply'],
    operands: ['FILE'],
    options: {
      'dry-run': { summary: 'Show what would change, and change nothing.' },
      merge: { summary: 'Add to what is live: what the file does not mention stays.' },
      'confirm-prices': { summary: 'Accept prices that look like a wrong unit.' },
      note: { value: 'TEXT', summary: 'Why, for the list of revisions.' },
      yes: { summary: 'Do not ask. Without a terminal, a file that takes something away is refused without it.' },
    },
    summary: 'Apply a YAML or JSON description of providers and models.',
    example: 'apply tollgate.yaml --dry-run',
    async run(input) {
      const operator = input.operator();
      const file = operand(input, 'FILE');
      const text = readText(file);
      const live = JSON.stringify(await operator.call('GET', '/admin/v1/config'));
      const description = readDescription(file, text, input.environment, live);
      const said = (option: string): true | null => (isSaid(input, option) ? true : null);
      const how = { merge: said('merge'), confirm_prices: said('confirm-prices') };
      return applyChange(input, {
        send: (query) => operator.call('PUT', `/admin/v1/config${queryOf({ ...how, ...query })}`, description),
        isTrial: isSaid(input, 'dry-run'),
        note: input.options.note ?? null,
      });
    },
  },
  {
    words: ['catalog', 'revisions'],
    operands: [],
    options: {
      limit: { value: 'COUNT', summary: 'How many; 50 by default.' },
      after: { value: 'CURSOR', summary: 'The `next` of the previous page.' },
    },
    summary: 'List the applied documents, newest first: who, when, why.',
    example: 'catalog revisions',
    async run(input) {
      const page = (await input
        .operator()
        .call('GET', `/admin/v1/config/revisions${queryText(input, ['limit', 'after'])}`)) as ConfigRevisionList;
      const rows = page.data.map(({ restored, isLive, note, ...row }) => ({
        ...row,
        note: [restored === null ? null : `brings back ${restored}`, note].filter((part) => part !== null).join('; '),
        live: isLive ? 'live' : '',
      }));
      const more = page.next === null ? '' : `\n\nMore with --after ${page.next}`;
      return { json: page, text: formatTable(REVISION_COLUMNS, rows) + more };
    },
  },
  {
    words: ['catalog', 'diff'],
    operands: ['REVISION'],
    options: { against: { value: 'REVISION', summary: 'Compare with this one; by default with the one before it.' } },
    summary: 'Show what a revision changed.',
    example: 'catalog diff 7',
    async run(input) {
      const path = `/admin/v1/config/revisions/${encodeURIComponent(operand(input, 'REVISION'))}`;
      const detail = (await input.operator().call('GET', path + queryText(input, ['against']))) as ConfigRevisionDetail;
      return { json: detail, text: detail.changes.length === 0 ? 'Nothing differs.' : detail.changes.join('\n') };
    },
  },
  {
    words: ['catalog', 'rollback'],
    operands: ['REVISION'],
    options: {
      'dry-run': { summary: 'Show what would change, and change nothing.' },
      'confirm-prices': { summary: 'Accept prices that look like a wrong unit.' },
      note: { value: 'TEXT', summary: 'Why, for the list of revisions.' },
      yes: { summary: 'Do not ask.' },
    },
    summary: 'Make an earlier revision live again, exactly as it was.',
    example: 'catalog rollback 7 --yes',
    async run(input) {
      const operator = input.operator();
      const path = `/admin/v1/config/revisions/${encodeURIComponent(operand(input, 'REVISION'))}/restore`;
      const confirm_prices = isSaid(input, 'confirm-prices') ? true : null;
      return applyChange(input, {
        send: ({ dry_run, revision, note, author }) =>
          operator.call('POST', path + queryOf({ dry_run, revision, confirm_prices }), {
            ...(note === null ? {} : { note }),
            ...(author === null ? {} : { author }),
          }),
        isTrial: isSaid(input, 'dry-run'),
        note: input.options.note ?? null,
      });
    },
  },
  {
    words: ['catalog', 'show'],
    operands: [],
    options: {},
    summary: 'Print the live config as YAML, keys masked; applied again, a masked key keeps the stored one.',
    example: 'catalog show',
    async run(input) {
      const config = await input.operator().call('GET', '/admin/v1/config');
      return { json: config, text: stringify(config).trimEnd() };
    },
  },
  {
    words: ['catalog', 'providers'],
    operands: [],
    options: {},
    summary: 'List the providers: what they speak, where, and how many models they serve.',
    example: 'catalog providers',
    async run(input) {
      const config = (await input.operator().call('GET', '/admin/v1/config')) as ConfigDocument;
      const rows = providerRows(config);
      return { json: rows, text: formatTable(['provider', 'protocol', 'baseUrl', 'models'], rows) };
    },
  },
  {
    words: ['catalog', 'models'],
    operands: [],
    options: {},
    summary: 'List the models on sale, prices in USD per million tokens or per unit.',
    example: 'catalog models',
    async run(input) {
      const answer = await input.operator().call('GET', '/v1/models?output_modalities=all');
      const models = (answer as { data?: unknown } | null)?.data;
      if (!Array.isArray(models)) throw new CommandError('The gateway answered something that is no list of models.');
      return { json: models, text: formatTable(MODEL_COLUMNS, models.map(modelRow)) };
    },
  },
];
