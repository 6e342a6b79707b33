// A video file of a test: just the boxes that say how long it is, before or after what stands for the pictures.

export type MovieOptions = Readonly<{ isMovieLast?: boolean; filler?: number }>;

function box(type: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

export function movie(seconds: number, { isMovieLast = false, filler = 100 }: MovieOptions = {}): Buffer {
  const header = Buffer.alloc(100);
  header.writeUInt32BE(600, 12);
  header.writeUInt32BE(Math.round(seconds * 600), 16);
  const parts = [box('moov', box('mvhd', header)), box('mdat', Buffer.alloc(filler, 1))];
  return Buffer.concat([box('ftyp', Buffer.from('isom\0\0\0\0isom')), ...(isMovieLast ? parts.toReversed() : parts)]);
}
