// Arguments of calls mean the same after they were made readable for reviewers and writable again, and an escape hides
// no letter.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { StreamDecoder, StreamPart } from '../canonical/stream-part.ts';
import { readableJson, withReadableJson, writable, writableJson } from './readable-json.ts';

const escapeAll = (json: string): string =>
  json.replace(/[a-z\u007f-\uffff]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

test('letters and breaks that are escaped are read as what they are', () => {
  expect(readableJson(String.raw`{"a":"\u0062lue\nhero\u006E \/ \u0022 \\u0062 \u0001"}`)).toBe(
    `{"a":"blue\nheron / \\u0022 \\\\u0062 \\u0001"}`,
  );
  expect(writableJson(readableJson('{\n\t"a": 1\n}'))).toBe('{  "a": 1 }');
});

test('any value stays the value that it was', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 3 }), fc.constantFrom(0, 2), (json, indent) => {
      const written = JSON.stringify(JSON.parse(json), null, indent);
      expect(JSON.parse(writableJson(readableJson(written)))).toEqual(JSON.parse(json));
    }),
  );
});

test('however they are cut', () => {
  const written = `{"a":"${escapeAll('blue é👩')}\\n"}`;
  for (let size = 1; size < 9; size += 1) {
    const pieces = written.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [];
    const parts: StreamPart[] = [
      { type: 'tool-input-start', index: 0, id: 'c', name: 'f' },
      ...pieces.map((text) => ({ type: 'tool-input-delta', index: 0, text }) as const),
      { type: 'tool-input-end', index: 0 },
    ];
    const decoder: StreamDecoder = { keptBytes: 0, push: () => parts, end: () => [] };
    const read = withReadableJson(decoder, false).push(Buffer.alloc(0));
    const textOf = (list: readonly StreamPart[]) => list.map((part) => ('text' in part ? part.text : '')).join('');
    expect(textOf(read)).toBe('{"a":"blue é👩\n"}');
    expect(textOf(read.map(writable))).toBe('{"a":"blue é👩\\n"}');
  }
});
