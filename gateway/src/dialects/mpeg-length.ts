// The longest that an MP3 can be: as long as its frames say, and what is no frame at the lowest rate that the format
// has, because decoders search it for further frames.

/** By the two bits of the version: 2.5, none, 2, 1. */
const RATES: readonly (readonly number[])[] = [
  [11_025, 12_000, 8_000],
  [],
  [22_050, 24_000, 16_000],
  [44_100, 48_000, 32_000],
];
const VERSION_1 = 3;
const LAYER_3 = 1;
/** Kilobits a second; the first place is for any other rate, which few decoders take. */
const BITS_1 = [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320];
const BITS_2 = [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160];
const BYTES_PER_MS_MIN = 1;
const HEAD_BYTES = 4;
const TAG_BYTES = 10;

type Frame = Readonly<{ byteLength: number; durationMs: number }>;

/**
 * `file` is its beginning, or all of it. Null where its first frame is not one of this format: a decoder that looks at
 * the bytes may take it for another, in which hours of silence are short.
 */
export function mpegMsMax(file: Buffer, byteLength: number): number | null {
  const start = tagBytes(file);
  let durationMs = 0;
  let at = start;
  for (let frame = frameAt(file, at); frame !== null; frame = frameAt(file, at)) {
    durationMs += frame.durationMs;
    at += frame.byteLength;
  }
  return at === start ? null : durationMs + Math.max(0, byteLength - at) / BYTES_PER_MS_MIN;
}

/** The title, the artist and the picture before the sound. */
function tagBytes(file: Buffer): number {
  if (file.toString('latin1', 0, 3) !== 'ID3' || file.length < TAG_BYTES) return 0;
  const size = file.subarray(6, TAG_BYTES).reduce((sum, byte) => sum * 128 + (byte & 0x7f), 0);
  return TAG_BYTES + size;
}

function frameAt(file: Buffer, at: number): Frame | null {
  if (at + HEAD_BYTES > file.length) return null;
  const kind = file[at + 1] ?? 0;
  const rates = file[at + 2] ?? 0;
  if (file[at] !== 0xff || kind >> 5 !== 7 || ((kind >> 1) & 3) !== LAYER_3) return null;
  const version = (kind >> 3) & 3;
  const samplesPerSecond = RATES[version]?.[(rates >> 2) & 3] ?? 0;
  const kilobits = (version === VERSION_1 ? BITS_1 : BITS_2)[rates >> 4] ?? 0;
  if (samplesPerSecond === 0 || kilobits === 0) return null;
  const samples = version === VERSION_1 ? 1_152 : 576;
  const padding = (rates >> 1) & 1;
  const byteLength = Math.floor((samples * kilobits * 125) / samplesPerSecond) + padding;
  return { byteLength, durationMs: (samples * 1_000) / samplesPerSecond };
}
