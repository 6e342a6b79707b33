// Checks what was charged: one call step by step, and a provider's invoice against what its calls cost by our records.

import { readFile } from 'node:fs/promises';
import type { ExplanationAnswer, UpstreamCostsAnswer } from '../../contract/explanation.ts';
import { formatUsd, parseUsd } from '../../platform/money.ts';
import { type Command, CommandError, type CommandInput, operand, UsageError } from '../command.ts';
import { type InvoiceLine, readInvoice } from '../read-invoice.ts';
import { formatFields, formatTable } from '../table.ts';

const TOLERANCE_DEFAULT = '0.01';

export const auditCommands: readonly Command[] = [
  {
    words: ['explain'],
    operands: ['GENERATION_ID'],
    options: {},
    summary: 'Show why a call cost what it cost: every attempt, the price and its version, each entry.',
    example: 'explain gen-1',
    async run(input) {
      const id = encodeURIComponent(operand(input, 'GENERATION_ID'));
      const answer = (await input.operator().call('GET', `/admin/v1/generations/${id}/explain`)) as ExplanationAnswer;
      return { json: answer, text: explainText(answer) };
    },
  },
  {
    words: ['reconcile'],
    operands: ['FILE'],
    options: {
      provider: { value: 'NAME', summary: 'Compare only with the calls to this provider.' },
      tolerance: { value: 'USD', summary: `Differences up to this are not shown. Default: ${TOLERANCE_DEFAULT}.` },
      'date-column': { value: 'HEADING', summary: 'The column that holds the day.' },
      'model-column': { value: 'HEADING', summary: 'The column that holds the model.' },
      'cost-column': { value: 'HEADING', summary: 'The column that holds the cost in USD.' },
    },
    summary: "Compare a provider's invoice (CSV) with what its calls cost, by model and day.",
    example: 'reconcile invoice.csv --provider main',
    run: reconcile,
  },
];

function explainText(answer: ExplanationAnswer): string {
  const { price, lines, entries } = answer;
  const rows = entries.map(({ counters, ...entry }) => entry);
  const prices = Object.entries(price?.perMillion ?? {}).map(([name, usd]) => `${name} ${usd}`);
  return [
    formatFields(answer),
    '',
    formatTable(['provider', 'upstreamModel', 'outcome', 'status', 'durationMs'], answer.attempts),
    '',
    formatFields({ ...answer.tokens }),
    '',
    price === null ? unpricedText(answer) : `Price ${price.version}, in use since ${price.firstUsedAt}`,
    ...(price === null ? [] : termLines(price)),
    ...(price === null ? [] : [`USD for a million: ${prices.join(', ')}`, '']),
    ...(lines.length === 0 ? [] : [formatTable(['what', 'units', 'perMillionUsd', 'usd'], lines), '']),
    ...(rows.length === 0 ? [] : [formatTable(['id', 'kind', 'from', 'to', 'amountUsd', 'createdAt'], rows)]),
    ...entries.flatMap(({ counters }) => counters.map((it) => `counted: ${it.scope} ${it.scopeId}, ${it.window}`)),
  ].join('\n');
}

/** A charge belongs to the month in which its call ended, or to the next. */
const unpricedText = ({ archived, createdAt }: ExplanationAnswer): string =>
  archived
    ? `The charge and its price are in the archive of ${createdAt.slice(0, 7)}, or of the month after: look for the id in its file.`
    : 'No price: nothing was charged.';

function termLines({ tierAbovePromptTokens, completionMultiplier, extras }: NonNullable<ExplanationAnswer['price']>) {
  return [
    ...(tierAbovePromptTokens === null ? [] : [`Prices of prompts above ${tierAbovePromptTokens} tokens`]),
    ...(completionMultiplier > 1 ? [`Completion tokens at ${completionMultiplier} times their price`] : []),
    ...(extras.length === 0 ? [] : [`With ${extras.join(', ')}`]),
  ];
}

type Difference = Readonly<{
  date: string;
  model: string;
  billedUsd: string;
  recordedUsd: string;
  differenceUsd: string;
}>;

async function reconcile(input: CommandInput) {
  const { provider, tolerance = TOLERANCE_DEFAULT } = input.options;
  const toleranceNanoUsd = parseUsd(tolerance);
  if (toleranceNanoUsd === null) throw new UsageError(`--tolerance is an amount in USD, not ${tolerance}.`);
  const invoice = await readFileLines(input);
  const dates = invoice.map(({ date }) => date).sort();
  const [from, to] = [dates.at(0), dates.at(-1)];
  if (from === undefined || to === undefined) throw new UsageError('The file has no lines below its headings.');
  const query = new URLSearchParams({ from, to, ...(provider === undefined ? {} : { provider }) });
  const recorded = (await input.operator().call('GET', `/admin/v1/upstream-costs?${query}`)) as UpstreamCostsAnswer;
  const all = compare(invoice, recorded);
  const isLarge = ({ differenceUsd }: Difference): boolean => {
    const amount = parseUsd(differenceUsd.replace('-', ''));
    return amount === null || amount > toleranceNanoUsd;
  };
  const differences = all.filter(isLarge);
  const text =
    differences.length === 0
      ? `${all.length} days and models agree, from ${from} to ${to}.`
      : formatTable(['date', 'model', 'billedUsd', 'recordedUsd', 'differenceUsd'], differences);
  return { json: { from, to, compared: all.length, differences }, text, isFailure: differences.length > 0 };
}

async function readFileLines(input: CommandInput): Promise<readonly InvoiceLine[]> {
  const file = operand(input, 'FILE');
  const { options } = input;
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${file} cannot be read.`, { cause });
  });
  const given = { date: options['date-column'], model: options['model-column'], cost: options['cost-column'] };
  const headings = Object.fromEntries(Object.entries(given).filter(([, heading]) => heading !== undefined));
  return readInvoice(text, headings);
}

/** By day and model, from either side. Providers differ in their capitals. */
function compare(invoice: readonly InvoiceLine[], { costs }: UpstreamCostsAnswer): Difference[] {
  const sums = new Map<string, { date: string; model: string; billed: bigint; recorded: bigint }>();
  const sumOf = (date: string, model: string) => {
    const name = `${date} ${model.toLowerCase()}`;
    const sum = sums.get(name) ?? { date, model, billed: 0n, recorded: 0n };
    sums.set(name, sum);
    return sum;
  };
  for (const { date, model, nanoUsd } of invoice) sumOf(date, model).billed += nanoUsd;
  for (const { date, upstreamModel, upstreamUsd } of costs) {
    sumOf(date, upstreamModel).recorded += parseUsd(upstreamUsd) ?? 0n;
  }
  return [...sums.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { date, model, billed, recorded }]) => ({
      date,
      model,
      billedUsd: formatUsd(billed),
      recordedUsd: formatUsd(recorded),
      differenceUsd: formatUsd(billed - recorded),
    }));
}
