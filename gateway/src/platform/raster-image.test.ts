// One picture of each kind, cut at every byte, and files that only look like pictures.

import { makePng } from '@tollgate/simulator';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { rasterTypeOf, wholeRasterTypeOf } from './raster-image.ts';

/** Each is one pixel. */
const pictures = {
  'image/png': makePng(1, '1x1'),
  'image/jpeg': Buffer.from(
    '/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAgGBgcGBQgHBwcJCQgKDBQNDAsLDBkSEw8UHRofHh0aHBwgJC4nICIsIxwcKDcpLDAxNDQ0Hyc5PTgyPC4zNDL/wAALCAABAAEBAREA/8QAFAABAAAAAAAAAAAAAAAAAAAACf/EABQQAQAAAAAAAAAAAAAAAAAAAAD/2gAIAQEAAD8AKp//2Q==',
    'base64',
  ),
  'image/gif': Buffer.from('R0lGODlhAQABAAAAACwAAAAAAQABAAACAkQBADs=', 'base64'),
  'image/webp': Buffer.from('UklGRiIAAABXRUJQVlA4IBYAAAAwAQCdASoBAAEADsD+JaQAA3AAAAAA', 'base64'),
} as const;

describe.each(Object.entries(pictures))('%s', (type, bytes) => {
  test('IMG-13 is known by its beginning, and whole only as a whole', () => {
    expect(rasterTypeOf(bytes.subarray(0, 64))).toBe(type);
    expect(wholeRasterTypeOf(bytes)).toBe(type);
    for (let length = 0; length < bytes.length; length += 1) {
      // One of them ends with a checksum that is not verified.
      const isEndThere = type === 'image/png' && length > bytes.length - 4;
      if (!isEndThere) expect([length, wholeRasterTypeOf(bytes.subarray(0, length))]).toEqual([length, null]);
    }
  });
});

test.each([
  ['a page', '<!doctype html><html></html>'],
  ['an SVG', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['an SVG behind a declaration', '<?xml version="1.0"?><svg/>'],
  ['a page that begins like a GIF', 'GIF89a<script>'],
  ['a PDF', '%PDF-1.7'],
  ['nothing', ''],
])('A13 IMG-13 %s is no picture', (_, text) => {
  expect(wholeRasterTypeOf(Buffer.from(text))).toBeNull();
});

test('A13 a picture without pixels is none', () => {
  const png = Buffer.from(makePng(1, '1x1'));
  png.writeUInt32BE(0, 16);
  expect(rasterTypeOf(png)).toBeNull();
});

test('FUZZ-2 whatever the bytes, it ends with an answer', () => {
  const starts = Object.values(pictures);
  fc.assert(
    fc.property(fc.nat(3), fc.nat(200), fc.uint8Array({ maxLength: 300 }), (which, keep, tail) => {
      const bytes = Buffer.concat([starts[which]?.subarray(0, keep) ?? Buffer.alloc(0), tail]);
      const type = wholeRasterTypeOf(bytes);
      if (type !== null) expect(rasterTypeOf(bytes)).toBe(type);
    }),
    { numRuns: 2_000 },
  );
});
