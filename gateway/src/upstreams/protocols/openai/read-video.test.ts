// A stranger's description of a job: an id that becomes part of a path, lengths that become money, and messages that we
// pass on in our own words.

import { describe, expect, test } from 'vitest';
import { readVideo } from './read-video.ts';
import { videoQuestions } from './video-questions.ts';

const read = (changes: object) => readVideo({ id: 'video_1', status: 'completed', ...changes });

describe('VID-19 VID-20 readVideo', () => {
  test.each(['', '../x', 'a/b', 'a?b', 'a%2fb', 'a b', 'x'.repeat(257), 7, null, undefined])('%s is no id', (id) => {
    expect(read({ id })).toBeNull();
  });

  test.each([
    ['queued', 'pending'],
    ['in_progress', 'in_progress'],
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'failed'],
    ['toString', 'unknown'],
    ['done', 'unknown'],
    [undefined, 'unknown'],
  ])('%s is %s', (status, expected) => {
    expect(read({ status })?.status).toBe(expected);
  });

  test.each([
    ['8', 8_000],
    [8, 8_000],
    ['7.5', 7_500],
    ['0', null],
    ['-1', null],
    ['1e3', null],
    ['99999', null],
    [Number.NaN, null],
    [Number.POSITIVE_INFINITY, null],
    [null, null],
    [[8], null],
    ['８', null],
  ])('%s seconds are %s ms', (seconds, expected) => {
    expect(read({ seconds })?.durationMs).toBe(expected);
  });

  test('VID-21 refusals are told from failures, and what is said of either goes to the log alone', () => {
    const failed = read({ status: 'failed', error: { code: 'moderation_blocked', message: 'sk-secretsecret' } });
    expect(failed).toMatchObject({ isRefused: true, detail: 'moderation_blocked' });
    expect(read({ status: 'failed', error: 'oops' })).toMatchObject({ isRefused: false });
    expect(read({ error: null })).toMatchObject({ isRefused: false, detail: null });
  });

  test('VID-23 the number of videos is bounded, and at least one', () => {
    expect(read({})?.outputCount).toBe(1);
    expect(read({ unsigned_urls: [] })?.outputCount).toBe(1);
    expect(read({ unsigned_urls: Array(3).fill('/x') })?.outputCount).toBe(3);
    expect(read({ unsigned_urls: Array(1_000).fill('/x') })?.outputCount).toBe(16);
  });
});

test('VID-16 a list is read as far as it can be', () => {
  const listed = (value: unknown) => videoQuestions.decodeList(Buffer.from(JSON.stringify(value)));
  const job = { id: 'video_1', status: 'queued', prompt: 'p', seconds: '4', created_at: 1_700_000_000 };
  expect(
    listed({ data: [job, { ...job, prompt: 7 }, null, { ...job, id: '..' }, { ...job, created_at: -1 }] }),
  ).toEqual([
    { id: 'video_1', createdAtMs: 1_700_000_000_000, prompt: 'p', seconds: '4' },
    { id: 'video_1', createdAtMs: null, prompt: 'p', seconds: '4' },
  ]);
  for (const odd of [{}, { data: 'x' }, [], 'x']) expect(listed(odd)).toEqual([]);
});
