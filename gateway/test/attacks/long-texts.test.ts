// Long texts that make a template try again and again: other work has a turn after every small piece of them, for every
// template and text. The pieces are counted in characters, which are the same on every machine.

import { expect, test } from 'vitest';
import { userPassage } from '../../src/canonical/passage.ts';
import { createDataTemplates } from '../../src/modules/guardrails/templates/all.ts';
import { PieceSearch } from '../../src/modules/guardrails/templates/find-in-text.ts';
import { scanUnits, TURN_LENGTH, unitsOf } from '../../src/modules/guardrails/units.ts';
import { takeTurn } from '../../src/platform/turns.ts';
import { INVITING } from './inviting-texts.ts';

const LENGTH = 100_000;
const templates = [...createDataTemplates().values()];

test('FILT-06 350 pairs of a template and a text: somebody else has a turn after each small piece', async () => {
  expect(templates.length * INVITING.length).toBeGreaterThanOrEqual(350);
  let scanned = 0;
  let total = 0;
  const pieces: number[] = [];
  let isOver = false;
  const served = (async () => {
    while (!isOver) {
      await takeTurn('somebody else');
      if (scanned > 0) pieces.push(scanned);
      scanned = 0;
    }
  })();
  const scanners = templates.map((template) => (unit: { text: string }, from: number, to: number) => {
    scanned += to - from;
    total += to - from;
    new PieceSearch().find(template, unit.text, from, to);
  });
  for (const unit of INVITING) {
    await scanUnits(unitsOf([userPassage(unit.repeat(LENGTH / unit.length))]), scanners, 'attacker');
    // The end of one and the beginning of the next are two requests.
    await takeTurn('attacker');
  }
  isOver = true;
  await served;
  expect(total).toBeGreaterThan(INVITING.length * templates.length * LENGTH * 0.9);
  expect(Math.max(...pieces)).toBeLessThanOrEqual(TURN_LENGTH);
});
