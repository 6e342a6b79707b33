// Reads the length of an MP4 or MOV video from the boxes at the top of the file: the header is in `moov`, which may
// come after all of the pictures. The file is a stranger's, so every size is checked before it is used.

import { DAY_MS } from '../../canonical/calendar.ts';

/** Found, or where in the file to look next; null when it is not such a file. */
type LengthSearch = Readonly<{ kind: 'found'; durationMs: number }> | Readonly<{ kind: 'at'; offset: number }>;

const HEADER_BYTES = 8;
const LARGE_HEADER_BYTES = 16;
const DURATION_MS_MAX = DAY_MS;
const SIZE_MAX = 2 ** 48;

type Box = Readonly<{ type: string; headerBytes: number; size: number }>;

/** `bytes` begin at a box, which is at `offset` in the file. */
export function findLength(bytes: Buffer, offset: number): LengthSearch | null {
  let position = 0;
  while (position + HEADER_BYTES <= bytes.length) {
    const box = readBox(bytes, position);
    if (box === null) return null;
    if (position === 0 && offset === 0 && box.type !== 'ftyp') return null;
    if (box.type === 'moov') return readMovie(bytes.subarray(position + box.headerBytes));
    position += box.size;
  }
  return position === 0 ? null : { kind: 'at', offset: offset + position };
}

function readBox(bytes: Buffer, position: number): Box | null {
  const type = bytes.toString('latin1', position + 4, position + HEADER_BYTES);
  if (!/^[a-zA-Z0-9 ]{4}$/.test(type)) return null;
  const short = bytes.readUInt32BE(position);
  if (short >= HEADER_BYTES) return { type, headerBytes: HEADER_BYTES, size: short };
  // Zero means up to the end of the file, so nothing comes after it.
  if (short !== 1 || position + LARGE_HEADER_BYTES > bytes.length) return null;
  const size = Number(bytes.readBigUInt64BE(position + HEADER_BYTES));
  return size >= LARGE_HEADER_BYTES && size <= SIZE_MAX ? { type, headerBytes: LARGE_HEADER_BYTES, size } : null;
}

/** The header of the movie is nearly always the first box inside. */
function readMovie(content: Buffer): LengthSearch | null {
  let position = 0;
  while (position + HEADER_BYTES <= content.length) {
    const box = readBox(content, position);
    if (box === null) return null;
    if (box.type === 'mvhd') return readMovieHeader(content.subarray(position + box.headerBytes));
    position += box.size;
  }
  return null;
}

function readMovieHeader(content: Buffer): LengthSearch | null {
  const isLarge = content[0] === 1;
  const [scaleAt, durationAt, end] = isLarge ? [20, 24, 32] : [12, 16, 20];
  if (content.length < end) return null;
  const scale = content.readUInt32BE(scaleAt);
  const duration = isLarge ? Number(content.readBigUInt64BE(durationAt)) : content.readUInt32BE(durationAt);
  if (scale === 0) return null;
  const durationMs = Math.ceil((duration * 1_000) / scale);
  return durationMs > 0 && durationMs <= DURATION_MS_MAX ? { kind: 'found', durationMs } : null;
}
