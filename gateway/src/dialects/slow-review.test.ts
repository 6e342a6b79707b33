// A stream whose text takes too long to look at as it grows: what has come so far is shown, the rest waits for the end
// and is judged as a whole, where others are not kept waiting.

import { expect, test } from 'vitest';
import type { AnswerText, OutputReview } from '../canonical/answer.ts';
import type { StreamDecoder, StreamPart } from '../canonical/stream-part.ts';
import { zeroUsage } from '../canonical/usage.ts';
import { GuardedPipe, reviewed } from './guarded-stream.ts';
import type { StreamPipe, StreamRenderer } from './stream-pipe.ts';

const say = (text: string): StreamPart => ({ type: 'text-delta', text });
const END: readonly StreamPart[] = [
  { type: 'usage', usage: zeroUsage },
  { type: 'finish', reason: 'stop', native: 'stop', stopSequence: null },
  { type: 'done' },
];

const partsOf = (texts: readonly AnswerText[]) => texts.flatMap(({ parts }) => parts);

/** Each chunk is the text of a part. */
const decoder: StreamDecoder = {
  keptBytes: 0,
  push: (chunk) => [say(String(chunk))],
  end: () => END,
};
const renderer = {
  render: (part: StreamPart) => ('text' in part ? part.text : ''),
  finale: () => '.',
  failure: () => '',
  keepAliveFrame: '',
} as unknown as StreamRenderer;

/** Keeps the last three letters back, and is slow once it has seen a stop. */
function openWindow() {
  let seen = '';
  let shownLength = 0;
  return {
    refusal: null,
    push(text: string): string {
      seen += text;
      const from = shownLength;
      shownLength = Math.max(from, seen.length - 3);
      return seen.slice(from, shownLength);
    },
    end: () => seen.slice(shownLength),
    get isSlow() {
      return seen.includes('!');
    },
    rest: () => ({ sent: seen.slice(Math.max(0, shownLength - 2), shownLength), kept: seen.slice(shownLength) }),
  };
}

function open(whole: OutputReview['whole']): StreamPipe {
  return new GuardedPipe(decoder, renderer, { whole, openWindow });
}

test('what was kept back and what follows is judged together at the end', async () => {
  const asked: (readonly AnswerText[])[] = [];
  const pipe = open((texts) => {
    asked.push(texts);
    return { texts: partsOf(texts).map((text) => text.toUpperCase()), refusal: null };
  });
  const shown = ['abcdef', 'gh!', 'ijk'].map((text) => pipe.push(Buffer.from(text)));
  expect(shown).toEqual(['abc', 'def', '']);
  expect([pipe.contentBytes, pipe.keptBytes >= 'gh!ijk'.length]).toEqual([12, true]);
  expect(pipe.end()).toBe('');
  expect(await pipe.complete?.()).toBeNull();
  expect(asked).toEqual([[{ sent: 'ef', parts: ['gh!ijk'] }]]);
  expect(pipe.finale(zeroUsage, 0)).toBe('GH!IJK.');
});

test('a refusal at the end says how much had been sent', async () => {
  const pipe = open((texts) => ({ texts: partsOf(texts), refusal: 'No.' }));
  pipe.push(Buffer.from('abc!'));
  pipe.end();
  expect((await pipe.complete?.())?.message).toBe('No. 1 characters had been sent before.');
});

test('a long piece is not looked at to its end once that takes too long', () => {
  let takenLength = 0;
  const pipe = new GuardedPipe(decoder, renderer, {
    whole: (texts) => ({ texts: partsOf(texts), refusal: null }),
    openWindow: () => ({
      refusal: null,
      push(text) {
        takenLength += text.length;
        return '';
      },
      end: () => '',
      get isSlow() {
        return takenLength > 5_000;
      },
      rest: () => ({ sent: '', kept: 'a'.repeat(takenLength) }),
    }),
  });
  pipe.push(Buffer.alloc(1_000_000, 'a'));
  expect(takenLength).toBeLessThan(10_000);
  expect(pipe.contentBytes).toBe(1_000_000);
});

test('where nothing can wait for the end, the rest is withheld', () => {
  const parts = reviewed(decoder, { whole: (texts) => ({ texts: partsOf(texts), refusal: null }), openWindow }).push(
    Buffer.from('abcdef!'),
  );
  expect(parts).toEqual([say('abcd'), { type: 'error', fault: expect.objectContaining({ kind: 'blocked' }) }]);
});

test('BILL-04 an end with an error is one that is charged only where something has been shown before it', () => {
  const fault = { kind: 'upstream-error', detail: '-', status: null, isEnd: true } as const;
  const failing = { ...decoder, end: (): readonly StreamPart[] => [...END.slice(0, 1), { type: 'error', fault }] };
  const endOf = (text: string): StreamPipe => {
    const whole: OutputReview['whole'] = (texts) => ({ texts: partsOf(texts), refusal: null });
    const pipe = new GuardedPipe(failing, renderer, { whole, openWindow });
    pipe.push(Buffer.from(text));
    pipe.end();
    return pipe;
  };
  expect([endOf('abcdef!').fault, endOf('ab').fault]).toEqual([fault, fault]);
  expect(endOf('ab!').fault).toEqual({ ...fault, isEnd: false });
});
