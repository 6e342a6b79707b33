// Sounds that players accept: a quiet tone as samples or in a WAV file, and silence in MP3 frames. The other formats
// begin correctly and continue with filler, which is enough for programs that only pass them on.

const SAMPLES_PER_SECOND = 24_000;
const BYTES_PER_SAMPLE = 2;
const TONE_HZ = 220;
const AMPLITUDE = 3_000;

/** One frame of silence: MPEG 1 layer III, 128 kbit/s, 44.1 kHz, 1152 samples. */
const MP3_FRAME = Buffer.concat([Buffer.from([0xff, 0xfb, 0x90, 0xc4]), Buffer.alloc(413)]);
const MP3_FRAMES_PER_SECOND = 44_100 / 1_152;

export type Sound = Readonly<{ contentType: string; bytes: Buffer }>;

type SoundMaker = Readonly<{ contentType: string; make(seconds: number): Buffer }>;

const makers: Readonly<Record<string, SoundMaker>> = {
  wav: { contentType: 'audio/wav', make: makeWave },
  pcm: { contentType: 'audio/pcm', make: makeSamples },
  mp3: { contentType: 'audio/mpeg', make: makeFrames },
  opus: { contentType: 'audio/ogg', make: (seconds) => beginningWith(Buffer.from('OggS\0\x02'), seconds) },
  aac: { contentType: 'audio/aac', make: (seconds) => beginningWith(Buffer.from([0xff, 0xf1, 0x50, 0x80]), seconds) },
  flac: { contentType: 'audio/flac', make: (seconds) => beginningWith(Buffer.from('fLaC\0\0\0\x22'), seconds) },
};

export const SOUND_FORMATS: readonly string[] = Object.keys(makers);

/** Undefined for an unknown format. */
export function makeSound(format: string, seconds: number): Sound | undefined {
  const maker = Object.hasOwn(makers, format) ? makers[format] : undefined;
  return maker === undefined ? undefined : { contentType: maker.contentType, bytes: maker.make(seconds) };
}

function makeSamples(seconds: number): Buffer {
  const samples = Math.round(seconds * SAMPLES_PER_SECOND);
  const bytes = Buffer.alloc(samples * BYTES_PER_SAMPLE);
  for (let index = 0; index < samples; index += 1) {
    const value = Math.sin((2 * Math.PI * TONE_HZ * index) / SAMPLES_PER_SECOND) * AMPLITUDE;
    bytes.writeInt16LE(Math.round(value), index * BYTES_PER_SAMPLE);
  }
  return bytes;
}

function makeWave(seconds: number): Buffer {
  const samples = makeSamples(seconds);
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(SAMPLES_PER_SECOND, 24);
  head.writeUInt32LE(SAMPLES_PER_SECOND * BYTES_PER_SAMPLE, 28);
  head.writeUInt16LE(BYTES_PER_SAMPLE, 32);
  head.writeUInt16LE(8 * BYTES_PER_SAMPLE, 34);
  head.write('data', 36);
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}

function makeFrames(seconds: number): Buffer {
  const frames = Math.max(1, Math.round(seconds * MP3_FRAMES_PER_SECOND));
  return Buffer.concat(Array.from({ length: frames }, () => MP3_FRAME));
}

function beginningWith(start: Buffer, seconds: number): Buffer {
  return Buffer.concat([start, Buffer.alloc(Math.round(seconds * 4_000))]);
}

/** How long a recording lasts: exact for WAV, by the bit rate of ordinary MP3 for everything else. */
export function secondsOf(bytes: Buffer): number {
  const isWave = bytes.length >= 44 && bytes.toString('latin1', 0, 4) === 'RIFF';
  const bytesPerSecond = isWave ? Math.max(1, bytes.readUInt32LE(28)) : 16_000;
  return Math.round(((isWave ? bytes.length - 44 : bytes.length) * 100) / bytesPerSecond) / 100;
}
