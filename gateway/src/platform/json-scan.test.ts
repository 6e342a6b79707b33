// Depth is counted outside of strings only, whatever escapes they hold.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UNLIMITED } from '../../test/json-source.ts';
import { JsonLimitError, scanJson, scanJsonInSlices } from './json-scan.ts';
import { LongTask } from './turns.ts';

function exceeds(text: string, depthMax: number): boolean {
  try {
    scanJson(Buffer.from(text), { ...UNLIMITED, depthMax });
    return false;
  } catch (error) {
    if (error instanceof JsonLimitError) return true;
    throw error;
  }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

test('the bound itself is allowed, one more is not', () => {
  expect(exceeds(`{"a":${nested(9)}}`, 10)).toBe(false);
  expect(exceeds(`{"a":${nested(10)}}`, 10)).toBe(true);
  expect(exceeds(`[${'[],'.repeat(100)}[]]`, 2)).toBe(false);
});

test('brackets inside strings do not count', () => {
  expect(exceeds(JSON.stringify({ a: '[{'.repeat(50), b: `\\"${'['.repeat(50)}\\\\` }), 2)).toBe(false);
  expect(exceeds(`["${'['.repeat(50)}`, 2)).toBe(false);
});

test('agrees with a plain count for any JSON', () => {
  const depthOf = (value: unknown): number =>
    typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.nat(6), (value, depthMax) => {
      expect(exceeds(JSON.stringify(value), depthMax)).toBe(depthOf(value) > depthMax);
    }),
    { numRuns: 1_000 },
  );
});

test('an object has at most so many members, each object for itself', () => {
  const members = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"k${index}":1`).join()}}`;
  const scan = (text: string) => () => scanJson(Buffer.from(text), { ...UNLIMITED, membersMax: 10 });
  expect(scan(members(10))).not.toThrow();
  expect(scan(members(11))).toThrow('an object of more than 10 members');
  expect(scan(`[${members(10)},${members(10)}]`)).not.toThrow();
  expect(scan(`{"a":${members(10)},"b":[${members(10)}],"c":":::::::::::"}`)).not.toThrow();
  expect(scan(`{"a":[[${members(11)}]]}`)).toThrow(JsonLimitError);
});

test('a scan knows nothing of the one before it, however that ended, and is the same in turns', async () => {
  const limits = { ...UNLIMITED, depthMax: 4, membersMax: 3, numberLengthMax: 20, refusesHugeNumbers: true };
  const text = fc.oneof(fc.stringMatching(/^[{}[\]",:\\1e-]{0,40}$/), fc.json({ maxDepth: 2 }));
  const outcomeOf = async (scan: () => unknown): Promise<unknown> => {
    try {
      return await scan();
    } catch (error) {
      return error;
    }
  };
  await fc.assert(
    fc.asyncProperty(text, text, async (before, then) => {
      await outcomeOf(() => scanJson(Buffer.from(before), limits));
      const whole = await outcomeOf(() => scanJson(Buffer.from(then), limits));
      const inTurns = () => scanJsonInSlices(Buffer.from(then), limits, new LongTask('one', 1_000));
      expect(whole).toEqual(await outcomeOf(inTurns));
    }),
    { numRuns: 1_000 },
  );
});

test('ten long texts at once are read a slice in a round, and others are heard in between', async () => {
  let rounds = 0;
  let isOver = false;
  const count = (): void => {
    rounds += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const text = Buffer.from(`{"a":[${'1,'.repeat(4_000)}1]}`);
  await Promise.all(Array.from({ length: 10 }, () => scanJsonInSlices(text, UNLIMITED, new LongTask('one', 1_000))));
  isOver = true;
  expect(rounds).toBeGreaterThanOrEqual(10 * Math.floor(text.length / 1_000) - 1);
});

test('the long texts of one owner do not delay that of another', async () => {
  const text = Buffer.from(`{"a":[${'1,'.repeat(4_000)}1]}`);
  const ended: string[] = [];
  const scanned = async (owner: string): Promise<void> => {
    await scanJsonInSlices(text, UNLIMITED, new LongTask(owner, 1_000));
    ended.push(owner);
  };
  await Promise.all([...Array.from({ length: 10 }, () => scanned('many')), scanned('one')]);
  expect(ended[0]).toBe('one');
});
