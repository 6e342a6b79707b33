// The longest that a recording of Opus in Ogg can be, by its packets, none of which lasts longer than 120 ms. Its bytes
// alone say nothing: silence takes less than twenty of them for a second.

const PACKET_MS_MAX = 120;
const PAGE_HEAD_BYTES = 27;
const OPUS_HEAD_AT = 28;
const SAMPLES_PER_MS = 48;
const BEGINS_STREAM = 2;

/**
 * Null unless the file is one stream of Opus from its first byte to its last: a decoder may choose another stream that
 * lies beside it, and one that follows may be of a format in which hours of silence take a few bytes.
 */
export function opusMsMax(file: Buffer): number | null {
  if (file.toString('latin1', OPUS_HEAD_AT, OPUS_HEAD_AT + 8) !== 'OpusHead') return null;
  const serial = file.readUInt32LE(14);
  // The last one may have no end.
  let packets = 1;
  let statedMs = 0;
  for (let at = 0; at < file.length; ) {
    const sizes = packetPieces(file, at);
    if (sizes === null) return null;
    const beginsStream = ((file[at + 5] ?? 0) & BEGINS_STREAM) !== 0;
    if (file.readUInt32LE(at + 14) !== serial || beginsStream !== (at === 0)) return null;
    // A piece of 255 bytes is followed by more of the same packet.
    packets += sizes.filter((size) => size < 255).length;
    statedMs = Math.max(statedMs, Number(file.readBigInt64LE(at + 6)) / SAMPLES_PER_MS);
    at += PAGE_HEAD_BYTES + sizes.length + sizes.reduce((sum, size) => sum + size, 0);
    if (at > file.length) return null;
  }
  return Math.max(packets * PACKET_MS_MAX, statedMs);
}

/** The sizes of the pieces in the page that begins here; null where none does. */
function packetPieces(file: Buffer, at: number): readonly number[] | null {
  if (at + PAGE_HEAD_BYTES > file.length || file.toString('latin1', at, at + 4) !== 'OggS') return null;
  return [...file.subarray(at + PAGE_HEAD_BYTES, at + PAGE_HEAD_BYTES + (file[at + PAGE_HEAD_BYTES - 1] ?? 0))];
}
