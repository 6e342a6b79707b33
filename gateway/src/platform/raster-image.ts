// Whether bytes are a raster image, and of which kind, by their content and not by their name. Only kinds that every
// browser shows and that cannot contain a program are known: SVG is a document and is not accepted.

export type RasterType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';

export const RASTER_TYPES: readonly RasterType[] = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'];

/** The header of a request for one of them. */
export const ACCEPT_RASTER: readonly string[] = ['accept', RASTER_TYPES.join(', ')];

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const PNG_HEAD_BYTES = 33;
const JPEG_END = Buffer.from([0xff, 0xd9]);
const GIF_HEAD_BYTES = 13;
const WEBP_HEAD_BYTES = 20;
const WEBP_CODINGS: ReadonlySet<string> = new Set(['VP8 ', 'VP8L', 'VP8X']);

/** By the beginning of a file; a few dozen bytes are enough. */
export function rasterTypeOf(head: Buffer): RasterType | null {
  if (isPngHead(head)) return 'image/png';
  if (isJpegHead(head)) return 'image/jpeg';
  if (isGifHead(head)) return 'image/gif';
  return isWebpHead(head) ? 'image/webp' : null;
}

/** As above, and complete: a picture that was cut off is not accepted. */
export function wholeRasterTypeOf(bytes: Buffer): RasterType | null {
  const type = rasterTypeOf(bytes);
  return type !== null && isWhole[type](bytes) ? type : null;
}

const isWhole: Readonly<Record<RasterType, (bytes: Buffer) => boolean>> = {
  'image/png': isWholePng,
  'image/jpeg': isWholeJpeg,
  'image/gif': isWholeGif,
  'image/webp': (bytes) => bytes.readUInt32LE(4) + 8 <= bytes.length,
};

function isPngHead(head: Buffer): boolean {
  if (head.length < PNG_HEAD_BYTES || !head.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return false;
  const hasHeader = head.readUInt32BE(8) === 13 && head.toString('latin1', 12, 16) === 'IHDR';
  return hasHeader && head.readUInt32BE(16) > 0 && head.readUInt32BE(20) > 0;
}

/** Walks from chunk to chunk: there must be pixels, and an end. */
function isWholePng(bytes: Buffer): boolean {
  let hasPixels = false;
  for (let offset = PNG_SIGNATURE.length; offset + 12 <= bytes.length; ) {
    const kind = bytes.toString('latin1', offset + 4, offset + 8);
    if (kind === 'IEND') return hasPixels;
    if (kind === 'IDAT') hasPixels = true;
    offset += 12 + bytes.readUInt32BE(offset);
  }
  return false;
}

function isJpegHead(head: Buffer): boolean {
  if (head.length < 4 || head[0] !== 0xff || head[1] !== 0xd8 || head[2] !== 0xff) return false;
  const marker = head[3] ?? 0;
  return marker >= 0xc0 && marker !== 0xff && marker !== 0xd8 && marker !== 0xd9;
}

/** Walks from segment to segment up to the pixels: there must be a frame with a width before them, and an end after. */
function isWholeJpeg(bytes: Buffer): boolean {
  let hasFrame = false;
  for (let offset = 2; offset + 9 <= bytes.length; ) {
    if (bytes[offset] !== 0xff) return false;
    const marker = bytes[offset + 1] ?? 0;
    if (marker === 0xff) {
      offset += 1;
      continue;
    }
    if (marker === 0xda) return hasFrame && bytes.lastIndexOf(JPEG_END) > offset;
    if (isFrameMarker(marker)) hasFrame = bytes.readUInt16BE(offset + 7) > 0;
    offset += 2 + bytes.readUInt16BE(offset + 2);
  }
  return false;
}

/** Sixteen markers begin a frame, except three that begin tables. */
function isFrameMarker(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

function isGifHead(head: Buffer): boolean {
  const signature = head.toString('latin1', 0, 6);
  if (head.length < GIF_HEAD_BYTES || (signature !== 'GIF87a' && signature !== 'GIF89a')) return false;
  return head.readUInt16LE(6) > 0 && head.readUInt16LE(8) > 0;
}

/** Walks from block to block: there must be a frame, and an end. */
function isWholeGif(bytes: Buffer): boolean {
  let hasFrame = false;
  for (let offset = GIF_HEAD_BYTES + colorBytes(bytes[10]); offset < bytes.length; ) {
    const block = bytes[offset];
    if (block === 0x3b) return hasFrame;
    if (block === 0x21) offset = afterPieces(bytes, offset + 2);
    else if (block === 0x2c) {
      hasFrame = true;
      offset = afterPieces(bytes, offset + 11 + colorBytes(bytes[offset + 9]));
    } else return false;
  }
  return false;
}

/** The size of the colour table that a byte of flags announces. */
function colorBytes(flags = 0): number {
  return (flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1);
}

/** The place after a list of length-prefixed pieces, which ends with an empty one. */
function afterPieces(bytes: Buffer, start: number): number {
  let offset = start;
  for (let length = bytes[offset]; length !== undefined && length !== 0; length = bytes[offset]) offset += length + 1;
  return offset + 1;
}

function isWebpHead(head: Buffer): boolean {
  if (head.length < WEBP_HEAD_BYTES || head.toString('latin1', 0, 4) !== 'RIFF') return false;
  return head.toString('latin1', 8, 12) === 'WEBP' && WEBP_CODINGS.has(head.toString('latin1', 12, 16));
}
