// Transcripts that could not be written because the database was away are written when it is back.

import { expect, test } from 'vitest';
import { type Clock, systemClock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { silentLogger } from '../../platform/logger.ts';
import { createTranscripts, type Transcripts } from './transcripts.ts';

const clock: Clock = { ...systemClock, every: () => () => {} };

/** The ids of what was written, statement by statement; the first statements fail with these errors. */
function open(...failures: readonly Error[]) {
  const left = [...failures];
  const written: string[][] = [];
  const bounds: number[][] = [];
  const query: Database['query'] = async (_, values = []) => {
    const failure = left.shift();
    if (failure !== undefined) throw failure;
    written.push(values[1] as string[]);
    bounds.push(values[8] as number[]);
    return [];
  };
  const database = { query } as Database;
  const sealingKey = Buffer.alloc(32);
  const hasHadCredit = async (orgId: string): Promise<boolean> => orgId === named.orgId;
  const options = { database, clock, logger: silentLogger, sealingKey, hasHadCredit };
  return { transcripts: createTranscripts(options), written, bounds };
}

const content = { messages: [], answer: 'hello', isStream: false, isCut: false };
const named = { orgId: 'org', userId: 'usr', keyId: 'key', modelId: 'acme/one', createdAtMs: 0, keptDays: 1, content };

const noteMany = (transcripts: Transcripts, from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => {
    const id = `gen-${from + index}`;
    transcripts.note({ ...named, id });
    return id;
  });

const failure = (code: string): Error => Object.assign(new Error('failed'), { code });

test('DOS-1 an organization that never had credit has room for a tenth', async () => {
  const { transcripts, bounds } = open();
  transcripts.note({ ...named, id: 'gen-1' });
  transcripts.note({ ...named, id: 'gen-2', orgId: 'org-new' });
  await transcripts.flush();
  expect(bounds).toEqual([[1024 * 1024 * 1024, 100 * 1024 * 1024]]);
});

test.each(['ECONNREFUSED', '57P01', '40P01'])(
  'what could not be written (%s) waits, before what came later',
  async (code) => {
    const { transcripts, written } = open(failure(code));
    const early = noteMany(transcripts, 0, 3);
    await expect(transcripts.flush()).rejects.toThrow('failed');
    const late = noteMany(transcripts, 3, 2);
    await transcripts.flush();
    expect(written).toEqual([[...early, ...late]]);
  },
);

test('of what the database refuses only that part is lost, and an outage never keeps more than the queue holds', async () => {
  const { transcripts, written } = open(failure('23503'), failure('ECONNREFUSED'));
  const ids = noteMany(transcripts, 0, 100);
  await expect(transcripts.flush()).rejects.toThrow('failed');
  const underWay = transcripts.flush();
  noteMany(transcripts, 100, 2_500);
  await expect(underWay).rejects.toThrow('failed');
  await transcripts.flush();
  expect(written.flat()).toHaveLength(2_000);
  expect(written[0]).toEqual(ids.slice(50));
});

test('an organization with very much to write leaves room for others', async () => {
  const { transcripts, written } = open();
  const long = { ...content, answer: 'x'.repeat(1024 * 1024) };
  for (let index = 0; index < 20; index += 1) transcripts.note({ ...named, id: `much-${index}`, content: long });
  transcripts.note({ ...named, orgId: 'org-other', id: 'little' });
  await transcripts.flush();
  expect(written.flat()).toEqual(['much-0', 'much-1', 'much-2', 'much-3', 'little']);
});
