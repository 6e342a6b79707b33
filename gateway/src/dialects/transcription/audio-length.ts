// The longest that a recording can be, by its size: this is held before it is transcribed. The head of a file is
// believed where it cannot make a recording shorter than a decoder finds it: uncompressed samples whose figures all
// agree with each other and with the size of the file. For other files a stated length only counts if it is longer, and
// the lowest rate of the format decides.

/** The lowest rate of MPEG audio, and of Opus, which containers may have. */
const MPEG_BYTES_PER_SECOND_MIN = 1_000;
const BYTES_PER_SECOND_MIN = 750;
const SLACK_MS = 1_000;
const MS_MAX = Number.MAX_SAFE_INTEGER / 1_000;

export function audioMsMax(byteLength: number, head: Buffer): number {
  const bytesPerSecond = waveBytesPerSecond(byteLength, head) ?? lowestRate(head);
  const bySize = Math.ceil((byteLength * 1_000) / bytesPerSecond);
  return Math.min(Math.max(bySize, statedMs(head)), MS_MAX) + SLACK_MS;
}

const hasText = (head: Buffer, at: number, text: string): boolean =>
  head.toString('latin1', at, at + text.length) === text;

function lowestRate(head: Buffer): number {
  const isMpeg = hasText(head, 0, 'ID3') || (head.length >= 2 && head[0] === 0xff && ((head[1] ?? 0) & 0xe6) === 0xe2);
  return isMpeg ? MPEG_BYTES_PER_SECOND_MIN : BYTES_PER_SECOND_MIN;
}

const WAVE_FORMAT_AT = 12;
const WAVE_FORMAT_BYTES = 24;
/** Uncompressed samples: integers or floats. */
const WAVE_CODINGS: ReadonlySet<number> = new Set([1, 3]);
const WAVE_RATE_MIN = 8_000;
const WAVE_RATE_MAX = 192_000;
const WAVE_CHANNELS_MAX = 8;
const WAVE_BITS: ReadonlySet<number> = new Set([8, 16, 24, 32]);
/** Chunks that programs write before the samples. */
const WAVE_NOTES: ReadonlySet<string> = new Set(['LIST', 'JUNK', 'fact', 'PEAK', 'bext']);
/** Written by programs that do not know the length when they begin. */
const WAVE_OPEN_ENDED = 0xffffffff;

/** Null unless all figures agree. It then applies to the whole file, so that nothing in it counts for less. */
function waveBytesPerSecond(byteLength: number, head: Buffer): number | null {
  if (!hasText(head, 0, 'RIFF') || !hasText(head, 8, 'WAVEfmt ')) return null;
  if (head.length < WAVE_FORMAT_AT + WAVE_FORMAT_BYTES) return null;
  const channels = head.readUInt16LE(22);
  const rate = head.readUInt32LE(24);
  const bytesPerSecond = head.readUInt32LE(28);
  const block = head.readUInt16LE(32);
  const bits = head.readUInt16LE(34);
  const isSound = channels >= 1 && channels <= WAVE_CHANNELS_MAX && rate >= WAVE_RATE_MIN && rate <= WAVE_RATE_MAX;
  const isPlain = head.readUInt32LE(16) === 16 && WAVE_CODINGS.has(head.readUInt16LE(20)) && WAVE_BITS.has(bits);
  const doesAgree = block === (channels * bits) / 8 && bytesPerSecond === rate * block;
  return isSound && isPlain && doesAgree && hasSamples(byteLength, head) ? bytesPerSecond : null;
}

/** After the format and other chunks come the samples, as many as the file has room for. */
function hasSamples(byteLength: number, head: Buffer): boolean {
  let at = WAVE_FORMAT_AT + WAVE_FORMAT_BYTES;
  while (at + 8 <= head.length) {
    const name = head.toString('latin1', at, at + 4);
    const size = head.readUInt32LE(at + 4);
    if (name === 'data') return size === WAVE_OPEN_ENDED || at + 8 + size <= byteLength;
    if (!WAVE_NOTES.has(name)) return false;
    at += 8 + size + (size % 2);
  }
  return false;
}

const FLAC_HEAD_BYTES = 26;

/** In a format without a lowest rate silence takes almost no bytes; such a file states its length. */
function statedMs(head: Buffer): number {
  if (head.length < FLAC_HEAD_BYTES || !hasText(head, 0, 'fLaC')) return 0;
  const rate = head.readUIntBE(18, 3) >>> 4;
  const samples = ((head[21] ?? 0) & 0x0f) * 2 ** 32 + head.readUInt32BE(22);
  return rate === 0 ? 0 : Math.ceil((samples * 1_000) / rate);
}
