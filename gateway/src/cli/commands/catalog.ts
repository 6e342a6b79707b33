// The catalog: what is sold, and applying a new description of it. `${NAME}` in the file is replaced here, from the
// environment of this command, because the gateway fills in variables only for the file that it starts with.

import { readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import type { ConfigDocument } from '../../contract/config.ts';
import { ConfigDocumentError } from '../../modules/catalog/config-problem.ts';
import { interpolate, parseDocumentText } from '../../modules/catalog/parse-document.ts';
import { type Command, CommandError, type Environment, operand } from '../command.ts';
import { formatTable, type Row } from '../table.ts';

const NONE: ReadonlySet<string> = new Set();

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new CommandError(`${file} cannot be read.`, { cause });
  }
}

function readDescription(file: string, environment: Environment): unknown {
  const text = readText(file);
  try {
    return interpolate(parseDocumentText(text), environment, NONE);
  } catch (cause) {
    if (!(cause instanceof ConfigDocumentError)) throw cause;
    throw new CommandError([`${file} is not usable:`, ...cause.problems].join('\n  '), { cause });
  }
}

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
    options: {},
    summary: 'Apply a YAML or JSON description of providers and models.',
    example: 'apply tollgate.yaml',
    async run(input) {
      const description = readDescription(operand(input, 'FILE'), input.environment);
      const applied = await input.operator().call('PUT', '/admin/v1/config', description);
      const changes = (applied as { changes?: unknown } | null)?.changes;
      const lines = Array.isArray(changes) ? changes.map(String) : [];
      return { json: applied, text: lines.length === 0 ? 'Applied; nothing differs.' : lines.join('\n') };
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
