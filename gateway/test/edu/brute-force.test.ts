// A person who guesses for days: how many codes are compared, on the clock of the test and a real database.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEdu, type Edu } from '../../src/modules/edu/create-edu.ts';
import type { Database } from '../../src/platform/db/database.ts';
import { openDatabase } from '../../src/platform/db/postgres.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import type { Mail } from '../../src/platform/mail/mailer.ts';
import { type FreshDatabase, freshDatabase } from '../database.ts';
import { MovableClock } from '../identity/movable-clock.ts';
import { rows } from '../identity/rows.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let fresh: FreshDatabase;
let database: Database;
let key: string;
let sources = 0;
const clock = new MovableClock('2026-03-10T12:00:00Z');
const mails: Mail[] = [];
let edu: Edu;

beforeAll(async () => {
  fresh = await freshDatabase();
  database = openDatabase(fresh.url, silentLogger);
  await rows(fresh.url, "insert into accounts (id) values ('org-1')");
  await rows(fresh.url, "insert into organizations (id, name, is_vouched) values ('org-1', 'Uni', true)");
  edu = createEdu({
    database,
    clock,
    logger: silentLogger,
    mailer: { send: async (mail) => void mails.push(mail) },
    secret: 'test-secret-test-secret-test-secret',
    rules: { capsOf: async () => [], modelsOf: async () => null },
    forgetCallers: async () => {},
    recordOnce: async () => true,
  });
  key = (await edu.institutions.createKey('org-1', 'key', async () => {})).secret;
  await edu.institutions.changeConfig('org-1', { allowedDomains: ['uni.example'] }, async () => {});
});

afterAll(async () => {
  await database.close();
  await fresh.drop();
});

/** Of an attacker with a new source for every request. */
const applicant = (email: string, withKey = key) => {
  sources += 1;
  return { key: withKey, email, source: `source ${sources}` };
};

/** Asks for a code whenever possible, and guesses until told to stop. Answers when guesses were compared. */
async function attack(email: string, untilMs: number, withKey = key): Promise<number[]> {
  const comparedAtMs: number[] = [];
  while (clock.nowMs() < untilMs) {
    const asked = await edu.codes.request(applicant(email, withKey));
    await asked.afterwards();
    const right = /Your code: (\d{6})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '000000';
    const wrong = right === '123456' ? '654321' : '123456';
    for (let count = 0; count < 8; count += 1) {
      const { outcome } = await edu.codes.guess(applicant(email, withKey), wrong);
      if (outcome === 'invalid') comparedAtMs.push(clock.nowMs());
      else expect(outcome).toBe('too_many_attempts');
    }
    clock.move(Math.max(1, asked.retryAfterSeconds) * 1000);
  }
  return comparedAtMs;
}

test('EDU-08 in a day of guessing at one address at most a hundred guesses are compared, and so in any day', async () => {
  const startMs = clock.nowMs();
  const comparedAtMs = await attack('a@uni.example', startMs + 3 * DAY_MS);
  expect(comparedAtMs.filter((atMs) => atMs < startMs + DAY_MS)).toHaveLength(100);
  for (const fromMs of comparedAtMs) {
    expect(comparedAtMs.filter((atMs) => atMs >= fromMs && atMs < fromMs + DAY_MS).length).toBeLessThanOrEqual(100);
  }
  // The lock ends: the student is not shut out for good.
  expect(comparedAtMs.length).toBeGreaterThan(100);
});

test('EDU-08 an address that nobody has, and a key that nobody gave out, are locked just so', async () => {
  for (const [email, withKey] of [
    ['a@elsewhere.example', key],
    ['b@uni.example', 'sk-edu-unknown'],
  ] as const) {
    const comparedAtMs = await attack(email, clock.nowMs() + DAY_MS, withKey);
    expect(comparedAtMs).toHaveLength(100);
  }
});

test('EDU-03 EDU-08 guessing in vain makes the wait for the next code longer, and the right code makes it short again', async () => {
  const email = 'c@uni.example';
  const waits: number[] = [];
  const askAndGuess = async (guesses: number) => {
    const asked = await edu.codes.request(applicant(email));
    expect(asked.outcome).toBe('accepted');
    await asked.afterwards();
    for (let count = 0; count < guesses; count += 1) await edu.codes.guess(applicant(email), 'none');
    const { retryAfterSeconds } = await edu.codes.request(applicant(email));
    clock.move(retryAfterSeconds * 1000);
    return retryAfterSeconds;
  };
  for (let count = 0; count < 7; count += 1) waits.push(await askAndGuess(5));
  expect(waits).toEqual([60, 120, 240, 480, 900, 900, 900]);
  const asked = await edu.codes.request(applicant(email));
  await asked.afterwards();
  const code = /Your code: (\d{6})/.exec(mails.at(-1)?.text ?? '')?.[1] ?? '';
  expect(await edu.codes.guess(applicant(email), code)).toMatchObject({ outcome: 'opened' });
  const { retryAfterSeconds } = await edu.codes.request(applicant(email));
  expect(retryAfterSeconds).toBe(60);
});

test('what is old is forgotten, and no guess is won by waiting for that', async () => {
  const startMs = clock.nowMs();
  const compared = await attack('d@uni.example', startMs + HOUR_MS);
  clock.move(DAY_MS - HOUR_MS - 1_000);
  await edu.forgetOld();
  const again = await attack('d@uni.example', startMs + DAY_MS + HOUR_MS);
  expect(compared.length + again.filter((atMs) => atMs < startMs + DAY_MS).length).toBeLessThanOrEqual(100);
  clock.move(31 * DAY_MS);
  await edu.forgetOld();
  expect(await rows(fresh.url, 'select pair from edu_codes')).toEqual([]);
  expect(await rows(fresh.url, 'select id from edu_sessions')).toEqual([]);
});
