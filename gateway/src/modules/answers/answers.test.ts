// How much the cache keeps for each owner, and that only the owner can read it.

import { expect, test } from 'vitest';
import { systemClock } from '../../platform/clock.ts';
import type { Redis } from '../../platform/redis/redis.ts';
import { type AnswerName, createAnswers } from './answers.ts';

const secretKey = Buffer.alloc(32, 1);
const clock = systemClock;
const KIB = 1024;

const create = (redis: Redis | null = null, secret = secretKey) => {
  const shared = { redis, redisBytesMax: 800 * KIB, hasHadCredit: async () => true };
  return createAnswers({ clock, hashKey: secret, sealingKey: secret, ...shared, bytesMax: 800 * KIB });
};

const ownerOf = (userId: string) => ({ accountId: 'account', userId });

/** The part of Redis that answers need, shared by two processes. */
function shared(): Redis & { store: Map<string, string> } {
  const store = new Map<string, string>();
  const run: Redis['run'] = async ({ script, keys: [key = ''], parameters: [value] }) => {
    if (script.name === 'answers_find') return store.get(key) ?? null;
    return store.set(key, String(value));
  };
  return { store, run } as unknown as Redis & { store: Map<string, string> };
}

test('one owner cannot push out what others keep', async () => {
  const answers = create();
  const quiet = answers.nameOf(ownerOf('quiet'), ['a']);
  answers.keep(quiet, Buffer.from('kept'), 60);
  const loud: AnswerName[] = Array.from({ length: 100 }, (_, index) =>
    answers.nameOf(ownerOf('loud'), [String(index)]),
  );
  for (const name of loud) answers.keep(name, Buffer.alloc(20 * KIB), 60);
  expect((await answers.find(quiet))?.toString()).toBe('kept');
  expect(answers.figures().bytes).toBeLessThanOrEqual(101 * KIB);
  expect(await answers.find(loud[0] as AnswerName)).toBeNull();
  expect(await answers.find(loud[99] as AnswerName)).not.toBeNull();
});

test('all owners together stay within the bound, and what is too large is not kept', async () => {
  const answers = create();
  for (let owner = 0; owner < 100; owner += 1) {
    answers.keep(answers.nameOf(ownerOf(`owner ${owner}`), ['a']), Buffer.alloc(50 * KIB), 60);
  }
  expect(answers.figures().bytes).toBeLessThanOrEqual(800 * KIB);
  const large = answers.nameOf(ownerOf('large'), ['a']);
  answers.keep(large, Buffer.alloc(1025 * KIB), 60);
  expect(await answers.find(large)).toBeNull();
});

test('names do not run into each other', () => {
  const answers = create();
  const digests = [
    answers.nameOf(ownerOf('a'), ['b', 'c']),
    answers.nameOf(ownerOf('a'), ['bc']),
    answers.nameOf(ownerOf('ab'), ['c']),
    answers.nameOf(ownerOf('a'), ['b', 'c', '']),
  ].map(({ digest }) => digest);
  expect(new Set(digests).size).toBe(4);
});

test('what one process keeps another finds through Redis, sealed there, and only with the same secret', async () => {
  const redis = shared();
  const [one, two] = [create(redis), create(redis)];
  const name = one.nameOf(ownerOf('owner'), ['a']);
  one.keep(name, Buffer.from('an answer in words'), 60);
  await expect.poll(() => redis.store.size).toBe(1);
  expect((await two.find(two.nameOf(ownerOf('owner'), ['a'])))?.toString()).toBe('an answer in words');
  const [stored = ''] = redis.store.values();
  expect(Buffer.from(stored, 'base64').toString('latin1')).not.toContain('words');
  const stranger = create(redis, Buffer.alloc(32, 2));
  expect(await stranger.find({ ...name })).toBeNull();
});
