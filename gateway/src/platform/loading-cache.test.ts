// The cache answers from memory while a value is valid, makes a value once for all callers that wait, drops values by
// key and by tag, and stays small.

import { describe, expect, test } from 'vitest';
import { MovableClock } from '../../test/identity/movable-clock.ts';
import { LoadingCache } from './loading-cache.ts';
import { RecentMap } from './recent-map.ts';

function start(sizeMax = 3, weightOf?: (text: string) => number) {
  const clock = new MovableClock('2026-03-10T12:00:00Z');
  const bounds = { sizeMax, ...(weightOf === undefined ? {} : { weightOf }) };
  const tagsOf = (text: string): readonly string[] => [`length-${text.length}`];
  const cache = new LoadingCache<string>({ clock, ageMaxMs: 1_000, tagsOf, ...bounds });
  const made: string[] = [];
  const ask = async (name: string, text = name): Promise<string> =>
    cache.find(name, async () => {
      made.push(name);
      return text;
    });
  return { clock, cache, made, ask };
}

describe('the loading cache', () => {
  test('GEN-11 a value is given again until it is as old as it may be, and then made anew', async () => {
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

  test('those who ask while a value is made share it', async () => {
    const { made, ask } = start();
    expect(await Promise.all([ask('a', 'one'), ask('a', 'two'), ask('b')])).toEqual(['one', 'one', 'b']);
    expect(made).toEqual(['a', 'b']);
  });

  test('a failure reaches all who wait and is not kept', async () => {
    const { cache, ask } = start();
    const fail = () => Promise.reject(new Error('away'));
    const both = await Promise.allSettled([cache.find('a', fail), cache.find('a', fail)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await ask('a', 'back')).toBe('back');
    expect(cache.size).toBe(1);
  });

  test('what is too old goes, however much room there is, and nothing else does', async () => {
    const { clock, cache, made, ask } = start(1_000);
    for (let index = 0; index < 100; index += 1) await ask(`early-${index}`);
    clock.move(900);
    await ask('late');
    clock.move(100);
    await ask('later');
    expect(cache.size).toBe(102);
    clock.move(899);
    expect(await ask('late', 'made again')).toBe('late');
    clock.move(101);
    await ask('last');
    expect(cache.size).toBeLessThanOrEqual(3);
    expect(made).toHaveLength(103);
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

  test('heavy values push out others, and one that is heavier than all may be is not kept', async () => {
    const { cache, ask } = start(100, (text) => text.length);
    await ask('a', 'x'.repeat(60));
    await ask('b', 'x'.repeat(60));
    expect(cache.size).toBe(1);
    expect(await ask('c', 'x'.repeat(500))).toHaveLength(500);
    expect(cache.size).toBe(0);
    await ask('d', 'x'.repeat(90));
    expect(cache.size).toBe(1);
  });

  test('a value goes with its key and with its tag, and one that was on its way meanwhile is not kept', async () => {
    const { cache, made, ask } = start();
    for (const name of ['a', 'b', 'long']) await ask(name);
    cache.forget('a');
    expect([cache.get('a'), cache.get('b')]).toEqual([undefined, 'b']);
    cache.forget('length-1');
    expect([cache.get('b'), cache.get('long')]).toEqual([undefined, 'long']);
    const before = ask('c', 'old');
    cache.forget('length-3');
    const after = ask('c', 'new');
    expect(await Promise.all([before, after])).toEqual(['old', 'new']);
    expect([cache.get('c'), made]).toEqual(['new', ['a', 'b', 'long', 'c', 'c']]);
  });

  test('a newer form takes the place of the very value that it was made from, and of no other', async () => {
    const { cache, ask } = start();
    await ask('a', 'read');
    cache.replace('a', 'read', 'touched');
    expect(cache.get('a')).toBe('touched');
    cache.replace('a', 'read', 'late');
    cache.replace('b', 'read', 'late');
    expect([cache.get('a'), cache.get('b')]).toEqual(['touched', undefined]);
  });
});

describe('the bounded map', () => {
  test('what is used stays, what is not goes, and the bound holds', () => {
    const map = new RecentMap<number>({ sizeMax: 10 });
    map.set('kept', 1);
    for (let index = 0; index < 100; index++) {
      map.set(`k${index}`, index);
      expect(map.get('kept')).toBe(1);
      expect(map.size).toBeLessThanOrEqual(10);
    }
    expect(map.get('k0')).toBeUndefined();
    map.delete('kept');
    expect(map.get('kept')).toBeUndefined();
  });

  test('what has a tag goes with it, from both halves, and nothing else', () => {
    const map = new RecentMap<Readonly<{ tags: readonly string[] }>>({
      sizeMax: 10,
      tagsOf: ({ tags }) => tags,
    });
    for (let index = 0; index < 8; index++)
      map.set(`k${index}`, { tags: [`own-${index}`, index % 2 ? 'odd' : 'even'] });
    map.deleteTagged('odd');
    const left = () => Array.from({ length: 8 }, (_, index) => index).filter((index) => map.get(`k${index}`));
    expect(left()).toEqual([0, 2, 4, 6]);
    map.deleteTagged('own-2');
    map.deleteTagged('nobody');
    expect(left()).toEqual([0, 4, 6]);
    // A key that came again under another tag is not found under the old one.
    map.set('k0', { tags: ['other'] });
    map.deleteTagged('even');
    map.set('k4', { tags: ['even'] });
    map.deleteTagged('even');
    expect(map.size).toBeLessThanOrEqual(1);
  });

  test('nothing is left of values that came and went, however many they were', () => {
    const map = new RecentMap<readonly string[]>({ sizeMax: 1_000, tagsOf: (tags) => tags });
    map.set('stays', ['own-stays', 'account']);
    for (let index = 0; index < 100; index++) {
      map.set(`k${index}`, [`own-${index}`, 'account', `user-${index}`]);
      if (index % 2 === 0) map.deleteTagged(`own-${index}`);
      else map.delete(`k${index}`);
    }
    expect([map.size, map.tagCount]).toEqual([1, 2]);
    map.set('other', ['account']);
    map.deleteTagged('account');
    expect([map.size, map.tagCount]).toEqual([0, 0]);
  });
});
