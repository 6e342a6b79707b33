// For any conversation, the beginning and the end stay, in order, with calls and results together, and as much as there
// is room for.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Turn } from '../../canonical/turns.ts';
import { measureContent, measureFrame } from './measure.ts';
import { blocksOf, type Prompt, shorten } from './middle-out.ts';

const turn = (role: Turn['role'], words = 10, more: Partial<Turn> = {}): Turn => ({
  role,
  calls: [],
  answers: [],
  leadsToNext: false,
  content: { content: 'word '.repeat(words) },
  ...more,
});
const call = (...calls: string[]): Turn => turn('assistant', 10, { calls });
const answer = (...answers: string[]): Turn => turn('tool', 10, { answers });

const promptOf = (turns: readonly Turn[], frame: readonly unknown[] = []): Prompt => ({
  turns,
  measures: turns.map(({ content }) => measureContent(content)),
  frame: measureFrame(frame),
});

const keptOf = async (turns: readonly Turn[], roomTokens: number): Promise<number[]> => {
  const { kept } = await shorten(promptOf(turns), roomTokens, null);
  return [...kept].sort((left, right) => left - right);
};

/** System, then user and assistant in turn. */
const talk = (length: number): Turn[] => [
  turn('system'),
  ...Array.from({ length }, (_, index) => turn(index % 2 === 0 ? 'user' : 'assistant')),
];

describe('blocks', () => {
  const spans = (turns: readonly Turn[]) => blocksOf(turns).map(({ start, end }) => [start, end]);

  test('ROUTE-24 a call goes with all of its results and with what stands between them', () => {
    expect(spans([turn('user'), call('a', 'b'), answer('a'), answer('b'), turn('user')])).toEqual([
      [0, 1],
      [1, 4],
      [4, 5],
    ]);
    expect(spans([call('a'), turn('assistant'), answer('a')])).toEqual([[0, 3]]);
    expect(spans([call('a'), call('b'), answer('a'), answer('b'), turn('user')])).toEqual([
      [0, 4],
      [4, 5],
    ]);
  });

  test('ROUTE-24 ids that are used again belong to the latest call', () => {
    expect(spans([call('0'), answer('0'), call('0'), answer('0')])).toEqual([
      [0, 2],
      [2, 4],
    ]);
  });

  test('ROUTE-24 thinking goes with the item after it, and may be the last', () => {
    const thinking = turn('assistant', 10, { leadsToNext: true });
    expect(spans([thinking, call('a'), answer('a'), thinking])).toEqual([
      [0, 3],
      [3, 4],
    ]);
  });

  test('a result whose call is nowhere stands alone', () => {
    expect(spans([turn('user'), answer('gone'), turn('user')])).toHaveLength(3);
  });

  test('ROUTE-24 pinned: instructions, the first and the last word of the user, the latest entry', () => {
    const turns = [turn('assistant'), ...talk(6), turn('system'), turn('assistant'), call('z')];
    const pinned = blocksOf(turns).flatMap(({ start, isPinned }) => (isPinned ? [start] : []));
    expect(pinned).toEqual([1, 2, 6, 8, 10]);
  });
});

describe('what stays', () => {
  test('everything when there is room', async () => {
    expect(await keptOf(talk(6), 10_000)).toEqual([0, 1, 2, 3, 4, 5, 6]);
  });

  test('ROUTE-24 the middle goes first, and the end outlives the beginning', async () => {
    // Eleven turns of about 17 tokens at the most.
    expect(await keptOf(talk(10), 140)).toEqual([0, 1, 2, 7, 8, 9, 10]);
    expect(await keptOf(talk(10), 100)).toEqual([0, 1, 8, 9, 10]);
  });

  test('ROUTE-24 at the least the instructions, the first word of the user and the end', async () => {
    expect(await keptOf(talk(9), 1)).toEqual([0, 1, 9]);
  });

  test('user and assistant still take turns across the cut', async () => {
    for (let room = 70; room < 250; room += 5) {
      const turns = talk(15);
      const roles = (await keptOf(turns, room)).map((index) => turns[index]?.role).slice(1);
      const isMinimum = roles.length === 2;
      if (!isMinimum) for (const [index, role] of roles.entries()) expect(role).not.toBe(roles[index + 1]);
    }
  });

  test('one huge turn in the middle is the one that goes', async () => {
    const turns = talk(9);
    turns[5] = turn('user', 100_000);
    const kept = await keptOf(turns, 300);
    expect(kept).not.toContain(5);
    expect(kept.length).toBeGreaterThan(5);
  });

  test('the frame takes its share of the room', async () => {
    const turns = talk(10);
    const bare = await shorten(promptOf(turns), 150, null);
    const framed = await shorten(promptOf(turns, ['word '.repeat(40)]), 150, null);
    expect(framed.kept.size).toBeLessThan(bare.kept.size);
  });

  test('ten thousand instructions are no reason to slow down', async () => {
    const turns = Array.from({ length: 10_000 }, (_, index) => turn(index % 2 === 0 ? 'system' : 'user', 1));
    const before = process.cpuUsage();
    await shorten(promptOf(turns), 100, null);
    // Far less than a second of computing; searching all of them for each would take minutes.
    expect(process.cpuUsage(before).user / 1e6).toBeLessThan(20);
  });
});

test('ROUTE-24 property: it fits or is the minimum; first, last and pairs stay; the order is the order', async () => {
  const entry = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(fc.constantFrom<Turn['role']>('user', 'assistant', 'system'), fc.nat(60)) },
    { weight: 2, arbitrary: fc.constantFrom('calls-one', 'calls-two') },
  );
  await fc.assert(
    fc.asyncProperty(
      fc.array(entry, { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 1, max: 900 }),
      async (entries, room) => {
        const turns = entries.flatMap((given, index): Turn[] => {
          if (given === 'calls-one') return [call(`${index}`), answer(`${index}`)];
          if (given === 'calls-two') return [call(`${index}a`, `${index}b`), answer(`${index}b`), answer(`${index}a`)];
          return [turn(given[0], given[1])];
        });
        const { kept, count } = await shorten(promptOf(turns), room, null);
        const pinned = blocksOf(turns).filter(({ isPinned }) => isPinned);
        const leastSize = pinned.reduce((size, { start, end }) => size + end - start, 0);
        expect(count.high <= room || kept.size === leastSize).toBe(true);
        for (const { start } of pinned) expect(kept.has(start)).toBe(true);
        for (const { start, end } of blocksOf(turns)) {
          for (let index = start; index < end; index += 1) expect(kept.has(index)).toBe(kept.has(start));
        }
        // The removed turns are one stretch, except for those that must never be removed.
        const optional = blocksOf(turns).filter(({ isPinned }) => !isPinned);
        const gone = optional.map(({ start }) => !kept.has(start));
        expect(gone.slice(gone.indexOf(true), gone.lastIndexOf(true) + 1)).not.toContain(false);
      },
    ),
    { numRuns: 500 },
  );
});
