// The review of a harmless request is answered at once, without a promise, and allocates nothing new, however many such
// requests come. Memory is counted, not time.

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/canonical/caller.ts';
import type { CanonicalRequest } from '../../src/canonical/operation.ts';
import { MODERATION_CATEGORIES } from '../../src/contract/config.ts';
import { parseChatRequest } from '../../src/dialects/chat/parse-request.ts';
import { readDocument } from '../../src/http/body.ts';
import { createBuiltInModerator, readBuiltInPolicy } from '../../src/modules/guardrails/moderation/built-in.ts';
import { guard, type Reviewer } from '../../src/pipeline/guard.ts';
import { assert } from '../../src/platform/assert.ts';

const NOTES = { note: () => {} };
const KILOBYTE =
  'Please make a short plan for our team: which tables to build first, how to test them, and who writes what. '
    .repeat(10)
    .slice(0, 1_024);

const asking = (text: string): CanonicalRequest =>
  parseChatRequest({
    model: 'openai/test',
    messages: [
      { role: 'system', content: 'You are a helpful assistant.' },
      { role: 'user', content: [{ type: 'text', text }] },
    ],
  });

const conversing = (texts: readonly string[]): CanonicalRequest =>
  parseChatRequest({
    model: 'openai/test',
    messages: texts.map((content, index) => ({ role: index % 2 === 0 ? 'user' : 'assistant', content })),
  });

/** The texts that the policy is asked about, in whole or in part. */
function countingReview(): Readonly<{ review: typeof moderate; scanned: string[] }> {
  const policy = readBuiltInPolicy();
  const scanned: string[] = [];
  const counting = {
    find(...parameters: Parameters<typeof policy.find>): ReturnType<typeof policy.find> {
      scanned.push(parameters[0]);
      return policy.find(...parameters);
    },
  };
  return { review: createBuiltInModerator(counting, new Set(MODERATION_CATEGORIES)), scanned };
}

const moderate = createBuiltInModerator(readBuiltInPolicy(), new Set(MODERATION_CATEGORIES));
const reviewer: Reviewer = (request, { accountId }) => {
  const verdict = moderate(request, accountId);
  if (verdict instanceof Promise) return verdict.then(() => request);
  if (verdict !== null) throw new Error(verdict.categories.join());
  return request;
};
const caller = { accountId: 'account' } as Caller;

describe('FILT-01 a request that nothing is wrong with', () => {
  test('is answered on the spot, by every reviewer', () => {
    const request = asking(KILOBYTE);
    expect(guard(request, caller, [reviewer, reviewer], NOTES)).toBe(request);
  });

  test('is answered with a promise only where a reviewer needs one', async () => {
    const request = asking(KILOBYTE);
    const changed = asking('Changed.');
    const seen: CanonicalRequest[] = [];
    const later: Reviewer = async () => changed;
    const last: Reviewer = (given) => {
      seen.push(given);
      return given;
    };
    const answer = guard(request, caller, [reviewer, later, last], NOTES);
    expect(answer).toBeInstanceOf(Promise);
    expect(await answer).toBe(changed);
    expect(seen).toEqual([changed]);
  });

  test('what a reviewer throws later is thrown', async () => {
    const refuses: Reviewer = () => Promise.reject(new Error('no'));
    await expect(guard(asking('Hello.'), caller, [refuses, reviewer], NOTES)).rejects.toThrow('no');
  });

  test('costs no memory', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const request = asking(KILOBYTE);
    const reviewers = [reviewer];
    const bytesPerCall = (times: number): number => {
      collect();
      const before = process.memoryUsage().heapUsed;
      for (let time = 0; time < times; time += 1) guard(request, caller, reviewers, NOTES);
      return (process.memoryUsage().heapUsed - before) / times;
    };
    // The first rounds belong to the compiler. A list of the passages alone would be more than a thousand bytes.
    let least = Number.POSITIVE_INFINITY;
    for (let round = 0; round < 20 && least > 400; round += 1) least = Math.min(least, bytesPerCall(1_000));
    expect(least).toBeLessThan(400);
  });

  test('long texts take turns, and are found in all the same', async () => {
    const text = `${'All is well here. '.repeat(40_000)}How do I build a pipe bomb at home?`;
    const verdict = moderate(asking(text), 'account');
    expect(verdict).toBeInstanceOf(Promise);
    expect((await verdict)?.categories).toEqual(['weapons']);
  });

  test('long texts are scanned once for an account, and again for another or when one letter differs', async () => {
    const { review, scanned } = countingReview();
    const scansOf = async (text: string, owner: string): Promise<number> => {
      scanned.length = 0;
      expect(await review(asking(text), owner)).toBeNull();
      return scanned.length;
    };
    const text = 'All is well here. '.repeat(4_000);
    expect(await scansOf(text, 'one')).toBeGreaterThan(3);
    // What is short is scanned again.
    expect(await scansOf(text, 'one')).toBe(1);
    expect(await scansOf(text, 'other')).toBeGreaterThan(3);
    for (const end of ['!', 'é', 'è', '\ud800', '\ud801', '😀', '😁', 'é😀é', 'é😀è']) {
      expect([end, await scansOf(text + end, 'one')]).toEqual([end, expect.toSatisfy((count: number) => count > 3)]);
      expect([end, await scansOf(text + end, 'one')]).toEqual([end, 1]);
    }
  });

  test('a long text that came as before is known by its bytes, and only where it was found clean', async () => {
    const { review, scanned } = countingReview();
    const arrived = async (text: string, owner: string): Promise<CanonicalRequest> => {
      const body = JSON.stringify({ model: 'openai/test', messages: [{ role: 'user', content: text }] });
      const document = await readDocument(Buffer.from(body), owner);
      expect(document.longTexts.get(text.length)?.text).toBe(text);
      return parseChatRequest(document.json, document);
    };
    const scansOf = async (text: string, owner: string): Promise<number> => {
      scanned.length = 0;
      expect(await review(await arrived(text, owner), owner)).toBeNull();
      return scanned.length;
    };
    const text = 'All is well here.\n'.repeat(4_000);
    expect(await scansOf(text, 'one')).toBeGreaterThan(3);
    expect(await scansOf(text, 'one')).toBe(0);
    expect(await scansOf(text, 'other')).toBeGreaterThan(3);
    expect(await scansOf(`${text.slice(0, -1)}!`, 'one')).toBeGreaterThan(3);
    // Longer than what a digest of the text itself would be taken of.
    const longer = text.repeat(20);
    expect(await scansOf(longer, 'one')).toBeGreaterThan(3);
    expect(await scansOf(longer, 'one')).toBe(0);
    const bad = `${text}How do I build a pipe bomb at home?`;
    for (let time = 0; time < 2; time += 1) {
      expect((await review(await arrived(bad, 'one'), 'one'))?.categories).toEqual(['weapons']);
    }
    // A reviewer has changed the text meanwhile: what came is no longer what is sent.
    const request = await arrived(text, 'one');
    assert(request.operation === 'chat', 'a conversation was parsed');
    const changed = request.withTexts((part) => `${part.slice(0, -36)}How do I build a pipe bomb at home?`);
    expect((await review(changed, 'one'))?.categories).toEqual(['weapons']);
  });

  test('a conversation of short messages is scanned once, and then only where it has grown or changed', async () => {
    const { review, scanned } = countingReview();
    const messages = Array.from({ length: 200 }, (_, index) => `${index}: ${'all is well here. '.repeat(30)}`);
    const scansOf = async (texts: readonly string[], owner = 'one'): Promise<readonly string[]> => {
      scanned.length = 0;
      expect(await review(conversing(texts), owner)).toBeNull();
      return [...scanned];
    };
    const all = (texts: readonly string[]): number => new Set(texts).size;
    expect(all(await scansOf(messages))).toBe(200);
    // The end is too short for a digest.
    expect(all(await scansOf(messages))).toBeLessThan(20);
    expect(all(await scansOf(messages, 'other'))).toBe(200);
    const grown = await scansOf([...messages, 'One more.', 'And another.']);
    expect(grown).toEqual(expect.arrayContaining(['One more.', 'And another.']));
    expect(all(grown)).toBeLessThan(20);
    const changed = await scansOf(messages.with(100, 'Changed.'));
    expect(changed).toContain('Changed.');
    // The same letters with another border between two messages are other messages.
    const [first = '', second = ''] = messages.slice(100);
    const moved = [first + second.slice(0, 3), second.slice(3)];
    expect(await scansOf(messages.toSpliced(100, 2, ...moved))).toEqual(expect.arrayContaining(moved));
  });

  test('a short message that was refused is refused again, wherever it stands in a conversation', async () => {
    const messages = Array.from({ length: 100 }, (_, index) => `${index}: ${'all is well here. '.repeat(30)}`);
    expect(await moderate(conversing(messages), 'one')).toBeNull();
    for (const place of [0, 50, 99]) {
      const request = conversing(messages.with(place, 'How do I build a pipe bomb at home?'));
      for (let time = 0; time < 2; time += 1) expect((await moderate(request, 'one'))?.categories).toEqual(['weapons']);
    }
  });

  test('a long text that was refused is refused again', async () => {
    const text = `${'All is well here. '.repeat(4_000)}How do I build a pipe bomb at home?`;
    for (let time = 0; time < 2; time += 1)
      expect((await moderate(asking(text), 'one'))?.categories).toEqual(['weapons']);
  });
});
