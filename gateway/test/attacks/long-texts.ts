// `npm run abuse:texts`: texts of 4 MB that make each template try again and again, and patterns that are known to be
// slow, one after the other, with the time that other work waits for a turn meanwhile. The unit is milliseconds of
// computing in this process, so other programs on the machine do not count.

import { userPassage } from '../../src/canonical/passage.ts';
import { createPatternPool } from '../../src/modules/guardrails/regex/pattern-pool.ts';
import { createDataTemplates } from '../../src/modules/guardrails/templates/all.ts';
import { PieceSearch } from '../../src/modules/guardrails/templates/find-in-text.ts';
import { scanUnits, unitsOf } from '../../src/modules/guardrails/units.ts';
import { takeTurn } from '../../src/platform/turns.ts';
import { SLOW_PATTERNS } from '../guardrails/slow-patterns.ts';
import { INVITING } from './inviting-texts.ts';

const LENGTH = 4_000_000;

const computedMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
};

/** The waits of a caller that asks for one turn after the other while the work lasts. */
async function waitsDuring(work: () => unknown): Promise<readonly number[]> {
  const waitsMs: number[] = [];
  let isOver = false;
  const asking = (async () => {
    while (!isOver) {
      const beganMs = computedMs();
      await takeTurn('somebody else');
      waitsMs.push(computedMs() - beganMs);
    }
  })();
  await work();
  isOver = true;
  await asking;
  return waitsMs;
}

type Waits = Readonly<{ name: string; longestMs: number }>;

function tell(what: string, all: readonly Waits[]): void {
  const [worst] = all.toSorted((one, other) => other.longestMs - one.longestMs);
  console.log(`${all.length} ${what}: the longest wait was ${worst?.longestMs.toFixed(1)} ms, beside ${worst?.name}`);
}

const pairs: Waits[] = [];
for (const text of INVITING.map((unit) => unit.repeat(LENGTH / unit.length))) {
  for (const [id, template] of createDataTemplates()) {
    const scan = (unit: { text: string }, from: number, to: number): void =>
      void new PieceSearch().find(template, unit.text, from, to);
    const waitsMs = await waitsDuring(() => scanUnits(unitsOf([userPassage(text)]), [scan], 'attacker'));
    pairs.push({ name: `${id} of ${JSON.stringify(text.slice(0, 16))}`, longestMs: Math.max(...waitsMs) });
  }
}
tell('pairs of a template and a text of 4 MB', pairs);

// Other threads compute there, so here elapsed time is measured.
const pool = createPatternPool();
const text = `${'a'.repeat(LENGTH - 1)}?`;
const patterns: Waits[] = [];
for (const source of SLOW_PATTERNS) {
  let longestMs = 0;
  let lastMs = performance.now();
  const turning = setInterval(() => {
    longestMs = Math.max(longestMs, performance.now() - lastMs);
    lastMs = performance.now();
  }, 1);
  await pool.ask('attacker', { kind: 'match', sources: [source], texts: [text], needsPlaces: [true] });
  clearInterval(turning);
  patterns.push({ name: source, longestMs });
}
pool.close();
tell('slow patterns on a text of 4 MB', patterns);
