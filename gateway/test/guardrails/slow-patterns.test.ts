// Patterns that are known to be slow, against ten megabytes: each is refused when it is created, or answered or given
// up within the budget, and meanwhile the main thread serves other work.

import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkPattern } from '../../src/modules/guardrails/regex/check-pattern.ts';
import { createPatternPool, type PatternPool } from '../../src/modules/guardrails/regex/pattern-pool.ts';
import { PATIENCE_MS } from '../patience.ts';
import { codeOf, type GuardBed, messageOf, startGuardBed } from './guard-bed.ts';
import { SLOW_PATTERNS } from './slow-patterns.ts';

const TEXT_LENGTH = 10_000_000;
const BUDGET_MS = 40;

let pool: PatternPool;
/** With the usual budget, and unlimited time for a turn. */
let checking: PatternPool;
beforeAll(() => {
  pool = createPatternPool({ budgetMs: BUDGET_MS, size: 2 });
  checking = createPatternPool({ waitMs: PATIENCE_MS, size: 2 });
});
afterAll(() => {
  pool.close();
  checking.close();
});

type Outcome = 'refused' | 'matched' | 'given up';

async function judge(owner: string, source: string, text: string): Promise<Outcome> {
  try {
    await checkPattern(checking, owner, source);
  } catch {
    return 'refused';
  }
  const reply = await pool.ask(owner, { kind: 'match', sources: [source], texts: [text], needsPlaces: [true] });
  return reply === null ? 'given up' : 'matched';
}

test('FILT-11 FILT-06 200 patterns that are known to be slow do not hold up the main thread', async () => {
  expect(SLOW_PATTERNS.length).toBeGreaterThanOrEqual(200);
  const text = `${'a'.repeat(TEXT_LENGTH - 1)}?`;
  // The first threads start, and the first text is copied, before the clock runs.
  await judge('warm', '(a+)+$', text);
  let turns = 0;
  const turning = setInterval(() => {
    turns += 1;
  }, 5);
  const outcomes: Outcome[] = [];
  const givenUpWithoutTurn: string[] = [];
  const work = [...SLOW_PATTERNS];
  const serve = async (owner: string): Promise<void> => {
    for (let source = work.pop(); source !== undefined; source = work.pop()) {
      const before = turns;
      const outcome = await judge(owner, source, text);
      outcomes.push(outcome);
      if (outcome === 'given up' && turns === before) givenUpWithoutTurn.push(source);
    }
  };
  await Promise.all([serve('one'), serve('two')]);
  clearInterval(turning);
  const count = (outcome: Outcome): number => outcomes.filter((one) => one === outcome).length;
  expect(outcomes).toHaveLength(SLOW_PATTERNS.length);
  expect(count('refused')).toBeGreaterThan(5);
  // The main thread went on while each pattern was tried: a pattern on the main thread would have blocked all turns.
  expect(givenUpWithoutTurn).toEqual([]);
  expect(turns).toBeGreaterThan(SLOW_PATTERNS.length);
});

test('an answer that came while this process was busy with something else counts', async () => {
  const question = { kind: 'match', sources: ['b+'], texts: ['abba'], needsPlaces: [true] } as const;
  await checking.ask('busy', question);
  await new Promise((resolve) => setImmediate(resolve));
  const reply = checking.ask('busy', question);
  // Longer than the budget: when it is over, the timers are looked at before the answer is.
  const untilMs = performance.now() + 600;
  while (performance.now() < untilMs);
  expect((await reply)?.found).toEqual([0, 0, 1, 3]);
});

test('one owner who is slow does not keep others from their turn', async () => {
  const text = 'a'.repeat(2_000_000);
  const slow = Array.from({ length: 6 }, () =>
    checking.ask('slow', { kind: 'match', sources: ['(.*a){20}[^a]'], texts: [text], needsPlaces: [true] }),
  );
  const quick = await checking.ask('quick', { kind: 'match', sources: ['b+'], texts: ['abba'], needsPlaces: [true] });
  expect(quick?.found).toEqual([0, 0, 1, 3]);
  await Promise.all(slow);
});

test('what does not fit into a turn is given up, and the pool goes on', async () => {
  const many = Array.from({ length: 60 }, () =>
    checking.ask('many', { kind: 'match', sources: ['b'], texts: ['ab'], needsPlaces: [false] }),
  );
  const replies = await Promise.all(many);
  expect(replies.filter((reply) => reply === null).length).toBeGreaterThan(0);
  expect(replies.filter((reply) => reply !== null).length).toBeGreaterThan(0);
  expect(
    await checking.ask('many', { kind: 'match', sources: ['b'], texts: ['ab'], needsPlaces: [true] }),
  ).not.toBeNull();
});

test('FILT-05 a rule that blocks or redacts and cannot be decided in time refuses the request; one that notes does not', async () => {
  const bed: GuardBed = await startGuardBed({ models: { 'openai/large': { entry: { context_length: 100_000_000 } } } });
  try {
    const text = Array.from(randomBytes(9_000_000), (byte) => (byte < 128 ? 'a' : 'b')).join('');
    const body = (content: string) => ({ model: 'openai/large', messages: [{ role: 'user', content }], max_tokens: 5 });
    // It has no letter that could be looked for first, and remembers the last letters in more ways than are kept.
    const slow = '[ab]*a[ab]{14}[c-f]';
    const filtered = (action: string) => bed.filtered({ name: 'Slow', type: 'regex', pattern: slow, action });
    for (const action of ['block', 'redact']) {
      const org = await filtered(action);
      const before = bed.upstreamCalls;
      const answer = await bed.harness.chat(org.key, body(text));
      expect([answer.status, codeOf(answer)], answer.text).toEqual([503, 503]);
      expect(messageOf(answer)).toContain('"Slow" of your organization could not be checked in time');
      expect(answer.headers.get('x-should-retry')).toBe('false');
      expect(bed.upstreamCalls).toBe(before);
      expect(await bed.harness.spent(org.key)).toBe(0);
      // The thread that was ended is replaced first, which a busy machine may not do in time.
      await expect.poll(async () => (await bed.harness.chat(org.key, body('aaa'))).status).toBe(200);
    }
    expect((await bed.harness.chat((await filtered('flag')).key, body(text))).status).toBe(200);
  } finally {
    await bed.harness.close();
  }
});
