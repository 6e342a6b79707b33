// How much evidence one user can make the operator keep: refused calls cost their caller nothing.

import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Caller } from '../../../canonical/caller.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import { type TextVisitor, userPassage, visitPassage } from '../../../canonical/passage.ts';
import { systemClock } from '../../../platform/clock.ts';
import type { Database } from '../../../platform/db/database.ts';
import { createEvidence } from './evidence.ts';

const DIGEST = 8;
const SEPARATE = 240;
const HOUR_MS = 3_600_000;

const requestOf = (text: string) =>
  ({
    operation: 'embeddings',
    modelName: 'acme/embed',
    visitTexts: (visitor: TextVisitor) => visitPassage(visitor, userPassage(text)),
  }) as unknown as CanonicalRequest;

test('very many texts of one user in a day become one record for each hour, and those of others stay apart', async () => {
  const digests = new Set<unknown>();
  const database = {
    async query(_: unknown, values: readonly unknown[]) {
      digests.add(`${values[1]} ${values[DIGEST]}`);
      return [];
    },
  } as unknown as Database;
  let nowMs = 0;
  const clock = { ...systemClock, nowMs: () => nowMs, monotonicMs: () => nowMs };
  const evidence = createEvidence({ database, clock, hashKey: randomBytes(32), sealingKey: randomBytes(32) });
  const keep = (userId: string, text: string) =>
    evidence.keep({
      request: requestOf(text),
      caller: { userId, accountId: userId, keyId: 'key' } as Caller,
      verdict: { categories: ['harm'], passages: [0] },
      reviewer: 'built-in',
    });
  for (let index = 0; index < 1_000; index += 1) await keep('usr-many', `text ${index}`);
  expect(digests.size).toBe(SEPARATE + 1);
  nowMs += HOUR_MS;
  for (let index = 0; index < 1_000; index += 1) await keep('usr-many', `later text ${index}`);
  expect(digests.size).toBe(SEPARATE + 2);
  await keep('usr-one', 'text 0');
  await keep('usr-one', 'text 1');
  expect(digests.size).toBe(SEPARATE + 4);
  nowMs += 24 * HOUR_MS;
  await keep('usr-many', 'text of another day');
  expect(digests.size).toBe(SEPARATE + 5);
});
