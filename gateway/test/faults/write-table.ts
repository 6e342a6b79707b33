// The table of the matrix for docs/reliability.md, made from the observed outcomes and not from the expected ones.

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Observed } from './bed.ts';
import { FAULTS } from './faults.ts';
import { problemsOf } from './problems.ts';
import { SURFACES } from './surfaces.ts';
import { KINDS } from './upstreams.ts';

const FILE = fileURLToPath(new URL('../../../docs/reliability.md', import.meta.url));
const BEGIN = '<!-- the table of `npm run faults` begins -->';
const END = '<!-- and ends -->';

/** What the client saw, and whether it was charged, in as few signs as possible. */
function shown({ seen, row }: Observed): string {
  const isCharged = BigInt(row?.cost_nano_usd ?? '0') > 0n;
  if (seen.status !== 200) return String(seen.status);
  const word = seen.ending === 'failed' ? 'error' : seen.ending === 'cut' ? 'cut' : 'ok';
  return isCharged ? `${word} $` : word;
}

function cellText(observed: readonly Observed[]): string {
  const alone = [...new Set(observed.filter(({ cell }) => cell.variant === 'alone').map(shown))];
  const isSaved = observed.some(({ cell, row }) => cell.variant === 'rescued' && row?.is_failover === true);
  return alone.length === 0 ? '-' : `${alone.join(', ')}${isSaved ? ' >' : ''}`;
}

const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;

function rows(observed: readonly Observed[]): readonly string[] {
  const head = ['fault', ...SURFACES.map(({ name }) => name)];
  const body = FAULTS.map((fault) => {
    const own = observed.filter(({ cell }) => cell.fault === fault);
    return [
      `${fault.id} ${fault.name}`,
      ...SURFACES.map((surface) => cellText(own.filter(({ cell }) => cell.surface === surface))),
    ];
  });
  return [line(head), line(head.map(() => '---')), ...body.map(line)];
}

export async function writeTable(observed: readonly Observed[]): Promise<void> {
  const counts = KINDS.map((kind) => `${kind} ${observed.filter(({ cell }) => cell.kind === kind).length}`);
  const faults = observed.filter((one) => problemsOf(one).length > 0).length;
  const day = new Date().toISOString().slice(0, 10);
  const text = await readFile(FILE, 'utf8');
  const before = text.slice(0, text.indexOf(BEGIN) + BEGIN.length);
  const after = text.slice(text.indexOf(END));
  const summary = `${observed.length} cells on ${day}, ${faults} of them with an outcome other than expected. By kind of upstream: ${counts.join(', ')}.`;
  await writeFile(FILE, [before, '', summary, '', ...rows(observed), '', after].join('\n'));
}
