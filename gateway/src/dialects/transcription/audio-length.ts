// The longest that a recording can be, by its size: this is held before it is transcribed. The head of a WAV is believed
// where it must be true. For other files a stated length or rate only counts if it makes the recording longer, and the
// lowest rate of the format decides.

import { waveRate } from '../wave-length.ts';

/** The lowest rate of MPEG audio, and of Opus, which containers may have. */
const MPEG_BYTES_PER_SECOND_MIN = 1_000;
const BYTES_PER_SECOND_MIN = 750;
const SLACK_MS = 1_000;
const MS_MAX = Number.MAX_SAFE_INTEGER / 100_000;

export function audioMsMax(byteLength: number, head: Buffer): number {
  const wave = waveRate(head, byteLength);
  const bytesPerSecond =
    wave?.isSure === true ? wave.bytesPerSecond : Math.min(lowestRate(head), wave?.bytesPerSecond ?? Infinity);
  const bySize = Math.ceil((byteLength * 1_000) / bytesPerSecond);
  return Math.min(Math.max(bySize, statedMs(head)), MS_MAX) + SLACK_MS;
}

/** How much longer than held for a recording may be where its format has no lowest rate: pauses take almost no bytes. */
const BEYOND = 10;

/** The longest that is believed of an upstream. */
export function audioMsBelieved(byteLength: number, head: Buffer): number {
  const isBounded = waveRate(head, byteLength)?.isSure === true || beginsWithFrame(head);
  return audioMsMax(byteLength, head) * (isBounded ? 1 : BEYOND);
}

const hasText = (head: Buffer, at: number, text: string): boolean =>
  head.toString('latin1', at, at + text.length) === text;

function lowestRate(head: Buffer): number {
  const isMpeg = hasText(head, 0, 'ID3') || beginsWithFrame(head);
  return isMpeg ? MPEG_BYTES_PER_SECOND_MIN : BYTES_PER_SECOND_MIN;
}

const beginsWithFrame = (head: Buffer): boolean =>
  head.length >= 2 && head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2;

const FLAC_HEAD_BYTES = 26;

/** In a format without a lowest rate silence takes almost no bytes; such a file states its length. */
function statedMs(head: Buffer): number {
  if (head.length < FLAC_HEAD_BYTES || !hasText(head, 0, 'fLaC')) return 0;
  const rate = head.readUIntBE(18, 3) >>> 4;
  const samples = ((head[21] ?? 0) & 0x0f) * 2 ** 32 + head.readUInt32BE(22);
  return rate === 0 ? 0 : Math.ceil((samples * 1_000) / rate);
}
