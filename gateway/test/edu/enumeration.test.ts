// Nobody learns from an answer, or from its time, whether a key exists or a domain is allowed. Four kinds of requests
// are sent in turn, mixed, so that a disturbance affects all of them; their times must not differ.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EduBed, newAddress, newEmail, openEduBed } from './campus.ts';

const SAMPLES = 300;
/** Of each kind at once. */
const TOGETHER = 5;
const MEDIAN_DIFFERENCE_MS = 1;
const ERRORS_MAX = 4.5;
const FLOOR_MS = 150;

let bed: EduBed;
let keys: string[];

beforeAll(async () => {
  bed = await openEduBed();
  // A key takes a hundred requests an hour.
  keys = [];
  for (let count = 0; count < 12; count += 1) keys.push((await bed.campus()).key);
});

afterAll(() => bed.close());

type Kind = 'student' | 'unknown key' | 'foreign domain' | 'no address';
const kinds: readonly Kind[] = ['student', 'unknown key', 'foreign domain', 'no address'];

function bodyOf(kind: Kind, round: number): { key: string; email: string } {
  const key = keys[round % keys.length] ?? '';
  switch (kind) {
    case 'student':
      return { key, email: newEmail() };
    case 'unknown key':
      return { key: `${key.slice(0, -4)}none`, email: newEmail() };
    case 'foreign domain':
      return { key, email: newEmail('els.example') };
    case 'no address':
      return { key, email: newEmail().replace('@', '!') };
  }
}

const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

function shuffled<Item>(items: readonly Item[]): Item[] {
  return items
    .map((item) => ({ item, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

type Observed = Readonly<{ timesMs: Map<Kind, number[]>; answers: Set<string> }>;

async function observe(): Promise<Observed> {
  const timesMs = new Map<Kind, number[]>(kinds.map((kind) => [kind, []]));
  const answers = new Set<string>();
  const time = async (kind: Kind, round: number): Promise<void> => {
    const body = bodyOf(kind, round);
    const startedMs = performance.now();
    const { status, text, headers } = await bed.form('request-code', body, newAddress());
    timesMs.get(kind)?.push(performance.now() - startedMs);
    const names = [...headers.keys()].sort().join();
    answers.add(`${status} ${text} ${names} ${headers.get('content-length')}`);
  };
  for (let round = 0; round * TOGETHER < SAMPLES; round += 1) {
    const mixed = shuffled(Array.from({ length: TOGETHER }, () => kinds).flat());
    await Promise.all(mixed.map((kind) => time(kind, round)));
  }
  return { timesMs, answers };
}

/** The largest difference between two kinds: of their medians in ms, and of medians and means in standard errors. */
type Difference = Readonly<{ medianMs: number; medianErrors: number; meanErrors: number }>;

function differenceOf({ timesMs }: Observed): Difference {
  const all = [...timesMs.values()].map(summaryOf);
  const pairs = all.flatMap((left, index) => all.slice(index + 1).map((right) => [left, right] as const));
  const largest = (distance: (left: Summary, right: Summary) => number): number =>
    Math.max(...pairs.map(([left, right]) => distance(left, right)));
  return {
    medianMs: largest((left, right) => Math.abs(left.median - right.median)),
    medianErrors: largest(
      (left, right) => Math.abs(left.median - right.median) / Math.hypot(left.medianError, right.medianError),
    ),
    meanErrors: largest(
      (left, right) => Math.abs(left.mean - right.mean) / Math.hypot(left.meanError, right.meanError),
    ),
  };
}

type Summary = Readonly<{ median: number; medianError: number; mean: number; meanError: number }>;

function summaryOf(values: readonly number[]): Summary {
  const count = values.length;
  const mean = values.reduce((sum, value) => sum + value, 0) / count;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (count - 1);
  const middle = median(values);
  // By the median of deviations, which a few late answers do not change.
  const spread = 1.4826 * median(values.map((value) => Math.abs(value - middle)));
  return {
    median: middle,
    medianError: (1.2533 * spread) / Math.sqrt(count),
    mean,
    meanError: Math.sqrt(variance / count),
  };
}

/** Within a millisecond; where the machine is too busy to measure a millisecond, within what chance explains. */
const isAlike = ({ medianMs, medianErrors, meanErrors }: Difference): boolean =>
  (medianMs < MEDIAN_DIFFERENCE_MS || medianErrors < ERRORS_MAX) && meanErrors < ERRORS_MAX;

test('EDU-01 the four kinds of requests get one answer, after one time', async () => {
  let observed = await observe();
  if (!isAlike(differenceOf(observed))) {
    // Something else kept the machine busy: a real difference would be there again.
    bed.clock.move(3_600_000);
    observed = await observe();
  }
  expect(observed.answers.size).toBe(1);
  expect([...observed.answers][0]).toContain('200 {"ok":true,"sent":true}');
  const difference = differenceOf(observed);
  expect(isAlike(difference), JSON.stringify(difference)).toBe(true);
  const [shortest = 0] = [...observed.timesMs.values()].flat().toSorted((a, b) => a - b);
  expect(shortest).toBeGreaterThan(FLOOR_MS - 2);
});
