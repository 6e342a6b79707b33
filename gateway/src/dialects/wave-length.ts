// How many bytes a second of a WAV takes, at the least. The head says which coding the samples have, and it is believed
// only where it cannot make a recording shorter than a decoder finds it: for codings that have a fixed rate, when all
// figures agree with each other and with the size of the file.

type WaveRate = Readonly<{
  bytesPerSecond: number;
  /** False where any coding may follow, or figures disagree: then it is the lowest that they say, or none. */
  isSure: boolean;
}>;

const FORMAT_AT = 20;
const FORMAT_BYTES_MIN = 16;
const RATE_MAX = 192_000;
const CHANNELS_MAX = 8;
const BITS: ReadonlySet<number> = new Set([8, 16, 24, 32]);
const INTEGERS = 0x01;
const FLOATS = 0x03;
const A_LAW = 0x06;
const MU_LAW = 0x07;
const ADPCM: ReadonlySet<number> = new Set([0x02, 0x11]);
const ADPCM_BITS = 4;
const GSM = 0x31;
/** A block of two frames. */
const GSM_BYTES_PER_SAMPLE = 65 / 320;
const MPEG_LAYER_3 = 0x55;
const MPEG_BYTES_PER_SECOND_MIN = 1_000;
/** The coding is then told at the end of the format, as the beginning of an identifier that ends like this. */
const EXTENSIBLE = 0xfffe;
const EXTENSIBLE_BYTES = 40;
const IDENTIFIER_END = '000000001000800000aa00389b71';
/** Chunks that programs write before the samples. */
const NOTES: ReadonlySet<string> = new Set(['LIST', 'JUNK', 'fact', 'PEAK', 'bext']);
/** Written by programs that do not know the length when they begin. */
const OPEN_ENDED = 0xffffffff;

type WaveFormat = Readonly<{
  coding: number;
  channels: number;
  rate: number;
  bytesPerSecond: number;
  block: number;
  bits: number;
  endsAt: number;
}>;

/** Null for what is no WAV. The rate applies to the whole file, so that nothing in it counts for less. */
export function waveRate(head: Buffer, byteLength: number): WaveRate | null {
  const format = formatIn(head);
  if (format === null) return null;
  const { channels, rate, block, bits } = format;
  const isSound = channels >= 1 && channels <= CHANNELS_MAX && rate >= 1 && rate <= RATE_MAX;
  const surely = isSound && hasSamples(head, format.endsAt, byteLength) ? fixedRate(format) : null;
  if (surely !== null) return { bytesPerSecond: surely, isSure: true };
  const figures = [format.bytesPerSecond, rate * block, (rate * channels * bits) / 8].filter((figure) => figure > 0);
  return { bytesPerSecond: Math.min(...figures), isSure: false };
}

const textAt = (head: Buffer, at: number, length: number): string => head.toString('latin1', at, at + length);

function formatIn(head: Buffer): WaveFormat | null {
  if (textAt(head, 0, 4) !== 'RIFF' || textAt(head, 8, 8) !== 'WAVEfmt ') return null;
  if (head.length < FORMAT_AT + FORMAT_BYTES_MIN) return null;
  const size = head.readUInt32LE(16);
  return {
    coding: codingIn(head, size),
    channels: head.readUInt16LE(22),
    rate: head.readUInt32LE(24),
    bytesPerSecond: head.readUInt32LE(28),
    block: head.readUInt16LE(32),
    bits: head.readUInt16LE(34),
    endsAt: FORMAT_AT + Math.max(size, FORMAT_BYTES_MIN),
  };
}

function codingIn(head: Buffer, size: number): number {
  const coding = head.readUInt16LE(FORMAT_AT);
  if (coding !== EXTENSIBLE || size !== EXTENSIBLE_BYTES || head.length < FORMAT_AT + EXTENSIBLE_BYTES) return coding;
  const isKnown = head.toString('hex', 46, FORMAT_AT + EXTENSIBLE_BYTES) === IDENTIFIER_END;
  return isKnown ? head.readUInt16LE(44) : coding;
}

/** Null for codings in which a second may take any number of bytes, and where figures disagree. */
function fixedRate({ coding, channels, rate, bytesPerSecond, block, bits }: WaveFormat): number | null {
  if (coding === MPEG_LAYER_3) return MPEG_BYTES_PER_SECOND_MIN;
  if (coding === GSM) return channels === 1 ? rate * GSM_BYTES_PER_SAMPLE : null;
  if (ADPCM.has(coding)) return bits === ADPCM_BITS ? (rate * channels * ADPCM_BITS) / 8 : null;
  const isPlain = coding === INTEGERS || coding === FLOATS ? BITS.has(bits) : isCompanded(coding) && bits === 8;
  const doesAgree = block === (channels * bits) / 8 && bytesPerSecond === rate * block;
  return isPlain && doesAgree ? bytesPerSecond : null;
}

const isCompanded = (coding: number): boolean => coding === A_LAW || coding === MU_LAW;

/** After the format and other chunks come the samples, as many as the file has room for. */
function hasSamples(head: Buffer, from: number, byteLength: number): boolean {
  let at = from;
  while (at + 8 <= head.length) {
    const name = textAt(head, at, 4);
    const size = head.readUInt32LE(at + 4);
    if (name === 'data') return size === OPEN_ENDED || at + 8 + size <= byteLength;
    if (!NOTES.has(name)) return false;
    at += 8 + size + (size % 2);
  }
  return false;
}
