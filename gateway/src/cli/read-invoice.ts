// A provider's invoice as its console exports it: CSV with a day, a model and a cost in each line, under headings that
// every provider names differently.

import { UsageError } from './command.ts';

export type InvoiceLine = Readonly<{ date: string; model: string; nanoUsd: bigint }>;

/** Headings, when none are given, in the order in which they are looked for. */
const HEADINGS = {
  date: ['date', 'day', 'usage_date', 'usage date', 'start_date', 'timestamp'],
  model: ['model', 'model_name', 'snapshot_id', 'model_version', 'line_item', 'description'],
  cost: ['cost', 'cost_usd', 'amount', 'amount_usd', 'amount_value', 'usd', 'total'],
} as const;

type Headings = Readonly<Partial<Record<keyof typeof HEADINGS, string>>>;

/** Cells with or without quotes, lines with either ending, a byte order mark or none. */
export function parseCells(text: string): string[][] {
  const cell = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  const body = text.replace(/^\ufeff/, '');
  const rows: string[][] = [];
  let row: string[] = [];
  while (cell.lastIndex < body.length) {
    const match = cell.exec(body);
    if (match === null) throw new UsageError(`Line ${rows.length + 1} is not CSV.`);
    row.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === ',' && cell.lastIndex < body.length) continue;
    if (match[3] === ',') row.push('');
    rows.push(row);
    row = [];
  }
  return rows.filter((cells) => cells.some((it) => it !== ''));
}

/** `$1,234.5678901234` to nano-USD, rounded half away from zero; null for what is no amount. */
export function parseAmount(text: string): bigint | null {
  const match = /^(-)?\s*\$?\s*(\d[\d,]*)?(?:\.(\d*))?$/.exec(text.trim());
  if (match === null || (match[2] === undefined && (match[3] ?? '') === '')) return null;
  const whole = BigInt((match[2] ?? '0').replaceAll(',', ''));
  const fraction = (match[3] ?? '').padEnd(10, '0');
  const nano = whole * 1_000_000_000n + BigInt(fraction.slice(0, 9)) + (fraction.charAt(9) >= '5' ? 1n : 0n);
  return match[1] === undefined ? nano : -nano;
}

export function readInvoice(text: string, headings: Headings): readonly InvoiceLine[] {
  const [head, ...rows] = parseCells(text);
  if (head === undefined) throw new UsageError('The file is empty.');
  const columns = {
    date: columnOf(head, 'date', headings.date),
    model: columnOf(head, 'model', headings.model),
    cost: columnOf(head, 'cost', headings.cost),
  };
  return rows.map((row, index) => {
    const place = `Line ${index + 2}`;
    const date = /^(\d{4}-\d{2}-\d{2})(?:$|[T ])/.exec(row[columns.date] ?? '')?.[1];
    if (date === undefined) throw new UsageError(`${place}: the day must begin as 2026-01-31 does.`);
    const nanoUsd = parseAmount(row[columns.cost] ?? '');
    if (nanoUsd === null) throw new UsageError(`${place}: the cost must be an amount in USD.`);
    return { date, model: row[columns.model] ?? '', nanoUsd };
  });
}

function columnOf(head: readonly string[], name: keyof typeof HEADINGS, given: string | undefined): number {
  const wanted = given === undefined ? HEADINGS[name] : [given.toLowerCase()];
  const titles = head.map((title) => title.trim().toLowerCase());
  const found = wanted.map((title) => titles.indexOf(title)).find((index) => index !== -1);
  if (found !== undefined) return found;
  throw new UsageError(`No column holds the ${name}: name it with --${name}-column. There are: ${head.join(', ')}.`);
}
