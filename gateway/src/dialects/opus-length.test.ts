// How long a recording of Opus in Ogg may be: what its packets can hold, and never less than a decoder may find.

import { expect, test } from 'vitest';
import { opusMsMax } from './opus-length.ts';

type Page = Readonly<{ flags?: number; serial?: number; granule?: bigint; sizes: readonly number[]; body?: string }>;

function page({ flags = 0, serial = 7, granule = 0n, sizes, body = '' }: Page): Buffer {
  const head = Buffer.alloc(27);
  head.write('OggS', 0);
  head[5] = flags;
  head.writeBigInt64LE(granule, 6);
  head.writeUInt32LE(serial, 14);
  head[26] = sizes.length;
  const content = Buffer.alloc(sizes.reduce((sum, size) => sum + size, 0));
  content.write(body, 0);
  return Buffer.concat([head, Buffer.from(sizes), content]);
}

const HEAD = page({ flags: 2, sizes: [19], body: 'OpusHead' });
const TAGS = page({ sizes: [16], body: 'OpusTags' });
const SOUND = page({ sizes: [60, 60, 255, 10], granule: 2_880n });

test('each packet lasts 120 ms at most, also one in several pieces, and the last may go on', () => {
  expect(opusMsMax(Buffer.concat([HEAD, TAGS, SOUND]))).toBe(6 * 120);
  expect(opusMsMax(Buffer.concat([HEAD, TAGS, SOUND, SOUND]))).toBe(9 * 120);
});

test('what it states counts where that is longer', () => {
  const late = page({ sizes: [60], granule: 48n * 60_000n });
  expect(opusMsMax(Buffer.concat([HEAD, TAGS, late, page({ sizes: [255], granule: -1n })]))).toBe(60_000);
});

test.each<[string, Buffer[]]>([
  ['sound of another format', [page({ flags: 2, sizes: [30], body: '\x01vorbis' }), SOUND]],
  ['a second stream beside it', [HEAD, page({ flags: 2, serial: 8, sizes: [51], body: '\x7fFLAC' }), TAGS, SOUND]],
  ['a second stream after it', [HEAD, TAGS, SOUND, page({ flags: 2, sizes: [51], body: '\x7fFLAC' })]],
  ['pages of a stream that never began', [HEAD, TAGS, page({ serial: 8, sizes: [60] })]],
  ['something after it', [HEAD, TAGS, SOUND, Buffer.from('fLaC')]],
  ['a page that is cut', [HEAD, TAGS, SOUND.subarray(0, -1)]],
  ['a head that is cut', [HEAD, TAGS, SOUND.subarray(0, 28)]],
  ['no stream that begins', [page({ sizes: [19], body: 'OpusHead' }), SOUND]],
  ['nothing', []],
])('of %s nothing is known', (_, pages) => {
  expect(opusMsMax(Buffer.concat(pages))).toBeNull();
});
