// The cache answers from memory for as long as it may, makes an answer once for all who wait, and stays small.

import { describe, expect, test } from 'vitest';
import { MovableClock } from '../../../test/identity/movable-clock.ts';
import { AnswerCache } from './answer-cache.ts';

function start(limits: Partial<{ answersMax: number; charactersMax: number }> = {}) {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  const cache = new AnswerCache({ clock, ageMaxMs: 1_000, answersMax: 3, charactersMax: 1_000, ...limits });
  const made: string[] = [];
  const ask = (name: string, text = name): Promise<string> =>
    cache.get(name, async () => {
      made.push(name);
      return text;
    });
  return { clock, cache, made, ask };
}

describe('answer cache', () => {
  test('GEN-11 an answer is given again until it is as old as it may be, and then made anew', async () => {
    const { clock, made, ask } = start();
    expect(await ask('a', 'first')).toBe('first');
    clock.move(999);
    expect(await ask('a', 'second')).toBe('first');
    clock.move(1);
    expect(await ask('a', 'third')).toBe('third');
    clock.move(999);
    expect(await ask('a', 'fourth')).toBe('third');
    expect(made).toEqual(['a', 'a']);
  });

  test('those who ask while an answer is made share it', async () => {
    const { made, ask } = start();
    expect(await Promise.all([ask('a', 'one'), ask('a', 'two'), ask('b')])).toEqual(['one', 'one', 'b']);
    expect(made).toEqual(['a', 'b']);
  });

  test('a failure reaches all who wait and is not kept', async () => {
    const { cache, ask } = start();
    const fail = () => Promise.reject(new Error('away'));
    const both = await Promise.allSettled([cache.get('a', fail), cache.get('a', fail)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask('a', 'back')).toBe('back');
    expect(cache.size).toBe(1);
  });

  test('what was not asked for lately goes first', async () => {
    const { cache, made, ask } = start();
    for (const name of ['a', 'b', 'c', 'a', 'd']) await ask(name);
    expect(cache.size).toBe(3);
    await ask('a');
    expect(made).toEqual(['a', 'b', 'c', 'd']);
    await ask('b');
    expect(made).toEqual(['a', 'b', 'c', 'd', 'b']);
  });

  test('long answers push out others, and one that is longer than all may be is not kept', async () => {
    const { cache, ask } = start({ charactersMax: 100 });
    await ask('a', 'x'.repeat(60));
    await ask('b', 'x'.repeat(60));
    expect(cache.size).toBe(1);
    expect(await ask('c', 'x'.repeat(500))).toHaveLength(500);
    expect(cache.size).toBe(0);
    await ask('d', 'x'.repeat(90));
    expect(cache.size).toBe(1);
  });
});
