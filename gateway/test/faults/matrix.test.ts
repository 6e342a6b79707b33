// The fault matrix: every way in which an upstream can fail, on every surface, over every protocol, with nobody else to
// ask, with another provider, and with a client that leaves. An ordinary run takes a choice of cells; `npm run faults` takes
// all and writes the table of docs/reliability.md.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FaultBed, type Observed } from './bed.ts';
import { allCells, someCells } from './cells.ts';
import { FAULTS } from './faults.ts';
import { problemsOf } from './problems.ts';
import { KINDS } from './upstreams.ts';
import { writeTable } from './write-table.ts';

const isWhole = process.env.TOLLGATE_FAULTS === 'all';
const groups = isWhole ? KINDS.map((kind) => [kind]) : [KINDS];
const all: Observed[] = [];

describe.each(groups.map((kinds) => ({ name: kinds.join(', '), kinds })))('over $name', ({ kinds }) => {
  const cells = isWhole ? allCells(kinds) : someCells(kinds);
  let bed: FaultBed;

  beforeAll(async () => {
    bed = await FaultBed.open(cells);
  });
  afterAll(() => bed.close());

  test.each(FAULTS)('$id $name: $ids ROUTE-09 ROUTE-13', { timeout: 600_000 }, async ({ id }) => {
    const observed = await bed.run(cells.filter(({ fault }) => fault.id === id));
    all.push(...observed);
    expect(observed.flatMap(problemsOf)).toEqual([]);
  });

  test('the books are clean, and nothing stays held', async () => {
    await expect
      .poll(() => bed.ledgerCheck(), { timeout: 30_000 })
      .toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  });
});

afterAll(async () => {
  if (isWhole) await writeTable(all);
});
