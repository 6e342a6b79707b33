// How long a recording can be at most, from its size: what is held before anyone has listened to it. Sound that is not
// compressed says how many bytes a second has; for the rest the lowest rate that speech survives is taken.

const BYTES_PER_SECOND_MIN = 1_000;
const BYTES_PER_SECOND_MAX = 1_536_000;
/** Samples as they are: integers, floats, or either with more channels. */
const PLAIN_CODINGS = new Set([1, 3, 0xfffe]);
const WAVE_HEAD_BYTES = 36;
const SLACK_MS = 1_000;

export function audioMsMax(byteLength: number, head: Buffer): number {
  return Math.ceil((byteLength * 1_000) / bytesPerSecond(head)) + SLACK_MS;
}

/** By the figures that a decoder goes by, so that a head that lies is lied to in the same way. */
function bytesPerSecond(head: Buffer): number {
  const isWave =
    head.length >= WAVE_HEAD_BYTES &&
    head.toString('latin1', 0, 4) === 'RIFF' &&
    head.toString('latin1', 8, 16) === 'WAVEfmt ' &&
    PLAIN_CODINGS.has(head.readUInt16LE(20));
  if (!isWave) return BYTES_PER_SECOND_MIN;
  const rate = (head.readUInt16LE(22) * head.readUInt32LE(24) * head.readUInt16LE(34)) / 8;
  return Math.min(Math.max(rate, BYTES_PER_SECOND_MIN), BYTES_PER_SECOND_MAX);
}
