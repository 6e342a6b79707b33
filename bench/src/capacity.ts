// What a number of cores, one PostgreSQL and one Redis carry, and what is exhausted first: `npm run bench:capacity`
// measures the figures in half a minute and prints the table; with `--from` it reads them from a file, with `--write`
// it also stores them and puts the table into docs/scale.md.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Figures } from './capacity/figures.ts';
import { measureFigures } from './capacity/measure.ts';
import { capacityTable, TABLE_BEGIN, TABLE_END } from './capacity/table.ts';
import { startGenerator } from './load/generator.ts';
import type { Bench } from './measure/bench.ts';
import { readOptions } from './options.ts';
import { runProgram, stopEverything } from './processes.ts';
import { startUpstream } from './targets/upstream.ts';
import { startServices } from './workers-services.ts';

const pathOf = (path: string): string => fileURLToPath(new URL(`../../${path}`, import.meta.url));
const KEPT = pathOf('bench/results/capacity.json');
const DOCUMENT = pathOf('docs/scale.md');

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '4' },
    from: { type: 'string' },
    write: { type: 'boolean', default: false },
    circumstances: { type: 'string', default: 'Nothing else ran on the machine.' },
  },
});

async function measure(): Promise<Figures> {
  if (process.env.DATABASE_URL !== undefined) throw new Error('unset DATABASE_URL: the run has a server of its own');
  const services = await startServices(true);
  try {
    const settings = readOptions([], {})?.settings;
    if (settings === undefined) throw new Error('no settings');
    const bench: Bench = { upstream: await startUpstream(), generator: await startGenerator(), settings };
    const { circumstances } = values;
    return await measureFigures({ bench, services, seconds: Number(values.seconds), circumstances });
  } finally {
    await stopEverything();
    await services.stop();
  }
}

/** Four digits are as exact as the measurement. */
const kept = (figures: Figures): string =>
  `${JSON.stringify(figures, (_, value: unknown) => (typeof value === 'number' ? Number(value.toPrecision(4)) : value), 2)}\n`;

async function write(figures: Figures, table: string): Promise<void> {
  await writeFile(KEPT, kept(figures));
  const text = await readFile(DOCUMENT, 'utf8');
  const [before = '', rest = ''] = text.split(TABLE_BEGIN);
  const [, after = ''] = rest.split(TABLE_END);
  await writeFile(DOCUMENT, before + table + after);
}

async function run(): Promise<void> {
  const measured = values.from === undefined ? kept(await measure()) : await readFile(values.from, 'utf8');
  const figures = JSON.parse(measured) as Figures;
  const table = capacityTable(figures);
  console.log(table);
  if (values.write) await write(figures, table);
}

await runProgram(run);
