// The fault matrix: every way in which an upstream can fail, on every surface, over every protocol, alone, with another
// provider, and with a client that leaves. An ordinary run takes a selection of cells; `npm run faults` takes one for
// each combination, or all, and writes the table of docs/reliability.md.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TEST_MS_MAX } from '../patience.ts';
import { type Cell, FaultBed, type Observed } from './bed.ts';
import { allCells, matrixCells, someCells } from './cells.ts';
import { FAULTS } from './faults.ts';
import { problemsOf } from './problems.ts';
import { KINDS } from './upstreams.ts';
import { writeTable } from './write-table.ts';

const size = process.env.TOLLGATE_FAULTS ?? 'some';
const all: Observed[] = [];

type Group = Readonly<{ name: string; cells: readonly Cell[] }>;

/** How many cells one gateway has models for. */
const FAULTS_PER_GROUP = 9;

function groupsOf(): readonly Group[] {
  if (size === 'every') return KINDS.map((kind) => ({ name: `over ${kind}`, cells: allCells([kind]) }));
  if (size !== 'matrix') return [{ name: 'over every protocol', cells: someCells(KINDS) }];
  const cells = matrixCells(KINDS);
  return Array.from({ length: Math.ceil(FAULTS.length / FAULTS_PER_GROUP) }, (_, index) => {
    const faults = FAULTS.slice(index * FAULTS_PER_GROUP, (index + 1) * FAULTS_PER_GROUP);
    return { name: `part ${index + 1}`, cells: cells.filter(({ fault }) => faults.includes(fault)) };
  });
}

describe.each(groupsOf())('$name', ({ cells }) => {
  let bed: FaultBed;

  beforeAll(async () => {
    bed = await FaultBed.open(cells);
  });
  afterAll(() => bed.close());

  test.each(FAULTS.filter((fault) => cells.some((cell) => cell.fault === fault)))(
    '$id $name: $ids ROUTE-09 ROUTE-13',
    { timeout: TEST_MS_MAX },
    async ({ id }) => {
      const observed = await bed.run(cells.filter(({ fault }) => fault.id === id));
      all.push(...observed);
      expect(observed.flatMap(problemsOf).join('\n')).toBe('');
    },
  );

  test('the books are clean, and nothing stays held', async () => {
    await expect.poll(() => bed.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  });
});

afterAll(async () => {
  if (size !== 'some' && all.length > 0) await writeTable(all);
});
