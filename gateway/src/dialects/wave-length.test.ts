// How many bytes a second of a WAV takes: by the coding where that has a rate, and never more than a decoder may find.

import { expect, test } from 'vitest';
import { waveRate } from './wave-length.ts';

type Figures = Readonly<{
  coding: number;
  channels?: number;
  rate?: number;
  bits: number;
  block: number;
  bytesPerSecond: number;
  /** What follows the sixteen bytes of every format. */
  more?: Buffer;
}>;

const FILE_BYTES = 100_000;

function rateOf({ coding, channels = 1, rate = 8_000, bits, block, bytesPerSecond, more }: Figures) {
  const format = Buffer.alloc(24);
  format.write('fmt ', 0);
  format.writeUInt32LE(16 + (more?.length ?? 0), 4);
  format.writeUInt16LE(coding, 8);
  format.writeUInt16LE(channels, 10);
  format.writeUInt32LE(rate, 12);
  format.writeUInt32LE(bytesPerSecond, 16);
  format.writeUInt16LE(block, 20);
  format.writeUInt16LE(bits, 22);
  const riff = Buffer.from('RIFF\0\0\0\0WAVE', 'latin1');
  const data = Buffer.from('data\0\0\0\0', 'latin1');
  return waveRate(Buffer.concat([riff, format, more ?? Buffer.alloc(0), data]), FILE_BYTES);
}

/** As telephone systems write it: the format has two further bytes. */
const TELEPHONE = { bits: 8, block: 1, bytesPerSecond: 8_000, more: Buffer.alloc(2) };
const IMA = { coding: 0x11, bits: 4, block: 256, bytesPerSecond: 4_055, more: Buffer.from([2, 0, 0xf9, 1]) };

/** Of samples of 16 bits, the coding at the end of the format. */
function extended(coding: number, end = '000000001000800000aa00389b71'): Figures {
  const more = Buffer.concat([Buffer.alloc(8), Buffer.from([coding, 0]), Buffer.from(end, 'hex')]);
  return { coding: 0xfffe, bits: 16, block: 2, bytesPerSecond: 16_000, more };
}

test.each<[string, Figures, bytesPerSecond: number]>([
  ['mu-law', { coding: 7, ...TELEPHONE }, 8_000],
  ['A-law', { coding: 6, ...TELEPHONE }, 8_000],
  ['the ADPCM of IMA, of which a byte is two samples', IMA, 4_000],
  ['the same in two channels', { ...IMA, channels: 2, rate: 16_000 }, 16_000],
  ['ADPCM that says it has more bytes', { ...IMA, bytesPerSecond: 4_000_000, block: 60_000 }, 4_000],
  ['GSM', { coding: 0x31, bits: 0, block: 65, bytesPerSecond: 1_625, more: Buffer.from([2, 0, 0x40, 1]) }, 1_625],
  ['an MP3, whatever its head says', { coding: 0x55, bits: 0, block: 1, bytesPerSecond: 40_000 }, 1_000],
  ['samples in an extended format', extended(1), 16_000],
])('NUM-1 a coding of a fixed rate: %s', (_name, figures, bytesPerSecond) => {
  expect(rateOf(figures)).toEqual({ bytesPerSecond, isSure: true });
});

test.each<[string, Figures]>([
  ['mu-law of sixteen bits', { coding: 7, ...TELEPHONE, bits: 16 }],
  ['ADPCM of two bits', { ...IMA, bits: 2 }],
  ['GSM in two channels', { coding: 0x31, channels: 2, bits: 0, block: 65, bytesPerSecond: 1_625 }],
  ['AAC, in which silence takes next to nothing', { coding: 0xff, bits: 16, block: 2, bytesPerSecond: 16_000 }],
  ['an extended format with another coding', extended(0xff)],
  ['an extended format of somebody else', extended(1, '000000001000800000aa00389b72')],
])('NUM-1 whatever else the head says is not believed: %s', (_name, figures) => {
  expect(rateOf(figures)?.isSure).toBe(false);
});

test('what is no WAV has no such rate', () => {
  expect(waveRate(Buffer.from('OggS'.padEnd(64)), FILE_BYTES)).toBe(null);
  expect(waveRate(Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'), FILE_BYTES)).toBe(null);
});
