// Pictures that viewers accept: small PNG files in a plain colour that follows from a number, so that each differs.
// Also files that are no pictures, for code that must tell the difference.

import { crc32, deflateSync } from 'node:zlib';

export type PictureFault = 'html' | 'svg' | 'garbage' | 'cut';

export type Picture = Readonly<{ contentType: string; bytes: Buffer }>;

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
const SIDE_MAX = 4_096;
const HTML = '<!doctype html><html><body><script>alert(1)</script></body></html>';
const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><script>alert(1)</script></svg>';

function chunk(kind: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}

/** `1024x768`, or a small picture where no size was asked for. */
function sidesOf(size: string | undefined): readonly [number, number] {
  const [, width = '8', height = '8'] = /^(\d{1,4})x(\d{1,4})$/.exec(size ?? '') ?? [];
  const within = (side: string): number => Math.max(1, Math.min(Number(side), SIDE_MAX));
  return [within(width), within(height)];
}

/** `byteLength` makes it that long, by a chunk that viewers ignore. */
export function makePng(number: number, size?: string, byteLength = 0): Buffer {
  const [width, height] = sidesOf(size);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, a palette.
  header.set([8, 3, 0, 0, 0], 8);
  const palette = Buffer.from([(number * 67) % 256, (number * 131) % 256, (number * 197) % 256]);
  const parts = [
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('tEXt', Buffer.from(`Number\0${number}`, 'latin1')),
    chunk('IDAT', deflateSync(Buffer.alloc((width + 1) * height))),
  ];
  const end = chunk('IEND', Buffer.alloc(0));
  const length = parts.reduce((sum, part) => sum + part.length, end.length);
  if (byteLength > length + 12) parts.push(chunk('fiLl', Buffer.alloc(byteLength - length - 12)));
  return Buffer.concat([...parts, end]);
}

export function makePicture(
  number: number,
  options: Readonly<{ size?: string | undefined; byteLength?: number | undefined; fault?: PictureFault | undefined }>,
): Picture {
  const png = makePng(number, options.size, options.byteLength);
  switch (options.fault) {
    case 'html':
      return { contentType: 'text/html', bytes: Buffer.from(HTML) };
    case 'svg':
      return { contentType: 'image/svg+xml', bytes: Buffer.from(SVG) };
    case 'garbage':
      return {
        contentType: 'image/png',
        bytes: Buffer.from('these are not the bytes of a picture, whatever they say'),
      };
    case 'cut':
      return { contentType: 'image/png', bytes: png.subarray(0, png.length - 20) };
    default:
      return { contentType: 'image/png', bytes: png };
  }
}
