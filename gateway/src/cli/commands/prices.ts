// Prices from the command line: what vendors charge, and updating the catalog to it.

import type { PriceFindingsAnswer, PricesAnswer, PriceUpdateAnswer } from '../../contract/providers.ts';
import { isWanted } from '../ask.ts';
import { type Command, type CommandResult, isSaid, operand } from '../command.ts';
import { queryOf } from '../query-text.ts';
import { formatTable, type Row } from '../table.ts';

type Priced = PricesAnswer['prices'][number] | PricesAnswer['live'][number];

const COLUMNS = ['where', 'model', 'prompt', 'completion', 'cache read', 'cache write', 'others', 'note'];
const IN_COLUMNS: ReadonlySet<string> = new Set(['prompt', 'completion', 'cache_read', 'cache_write']);

function priceRows(where: string, priced: Priced, note: string): Row[] {
  const { pricing } = priced;
  const others = Object.entries(pricing ?? {}).filter(([key]) => !IN_COLUMNS.has(key));
  const base = {
    ...{ where, model: priced.model, prompt: pricing?.prompt, completion: pricing?.completion },
    'cache read': pricing?.cache_read,
    'cache write': pricing?.cache_write,
    others: others.map(([key, value]) => `${key} ${value}`).join(', '),
    note,
  };
  const perMillion = (perToken: string): string => String(Number((Number(perToken) * 1e6).toPrecision(12)));
  const tiers = priced.pricingTiers.map((tier) => ({
    ...{ where: '', model: `  above ${tier.above_prompt_tokens} tokens` },
    ...{ prompt: perMillion(tier.prompt), completion: perMillion(tier.completion) },
    'cache read': tier.cache_read === undefined ? null : perMillion(tier.cache_read),
    'cache write': tier.cache_write === undefined ? null : perMillion(tier.cache_write),
    ...{ others: '', note: '' },
  }));
  return [base, ...tiers];
}

function updateOutcome(answer: PriceUpdateAnswer, last: string): CommandResult {
  const lines = [
    answer.problem ?? `Prices are as of ${answer.fetchedAt ?? 'this version'}.`,
    ...answer.jumps.map((line) => `! ${line}`),
    ...answer.changes,
    ...answer.typed.map((line) => `  typed, and left alone: ${line}`),
    answer.changes.length === 0 ? 'Nothing differs from the price book.' : last,
  ];
  return { json: answer, text: lines.join('\n') };
}

export const priceCommands: readonly Command[] = [
  {
    words: ['prices', 'show'],
    operands: ['MODEL'],
    options: {},
    summary: 'Show what vendors charge for a model, and what it costs here.',
    example: 'prices show gpt-4o-mini',
    async run(input) {
      const path = `/admin/v1/prices${queryOf({ model: operand(input, 'MODEL') })}`;
      const answer = (await input.operator().call('GET', path)) as PricesAnswer;
      const rows = [
        ...answer.live.flatMap((live) => priceRows('here', live, live.changedBy ?? '')),
        ...answer.prices.flatMap((price) => priceRows(price.vendor, price, price.isDeprecated ? 'being retired' : '')),
      ];
      const unit = `USD per million tokens, others per unit. Price book: ${answer.source}${answer.fetchedAt === null ? '' : `, ${answer.fetchedAt}`}.`;
      const isKnown = answer.prices.length > 0 || answer.live.length > 0;
      const text = isKnown ? `${formatTable(COLUMNS, rows)}\n${unit}` : 'Nobody knows a price of this model.';
      return { json: answer, text, isFailure: !isKnown };
    },
  },
  {
    words: ['prices', 'check'],
    operands: [],
    options: {},
    summary: 'List models without a price, sold below what their vendor charges, or priced in a wrong unit.',
    example: 'prices check',
    async run(input) {
      const answer = (await input.operator().call('GET', '/admin/v1/prices/findings')) as PriceFindingsAnswer;
      const { findings } = answer;
      const text = formatTable(['model', 'kind', 'message'], findings);
      return { json: answer, text: findings.length === 0 ? 'Every model has a price that makes sense.' : text };
    },
  },
  {
    words: ['prices', 'update'],
    operands: [],
    options: {
      'dry-run': { summary: 'Show what would change, and change nothing.' },
      yes: { summary: 'Do not ask. Without a terminal nothing is changed without it.' },
    },
    summary: 'Fetch newer prices where there is a network, and bring models up to date that follow the price book.',
    example: 'prices update --dry-run',
    async run(input) {
      const operator = input.operator();
      const { USER: author } = input.environment;
      const send = async (query: Record<string, number | boolean | null>) =>
        (await operator.call('POST', `/admin/v1/prices/update${queryOf(query)}`, { author })) as PriceUpdateAnswer;
      const shown = await send({ dry_run: true });
      const mayChange = !isSaid(input, 'dry-run') && (isSaid(input, 'yes') || input.ask !== null);
      if (!mayChange || shown.changes.length === 0) {
        return updateOutcome(shown, 'Nothing was changed. --yes applies this.');
      }
      const proposal = {
        changes: [...shown.jumps.map((line) => `! ${line}`), ...shown.changes],
        removals: shown.removals,
      };
      if (!(await isWanted(input, proposal))) return { json: shown, text: 'Nothing was changed.', isFailure: true };
      const applied = await send({ revision: shown.revision });
      return updateOutcome(applied, `Applied as revision ${applied.revision}. Charges of the past keep their prices.`);
    },
  },
];
