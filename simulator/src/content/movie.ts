// An MP4 file that states its length: its boxes are those of a real one, and the pictures are filler. Players show
// nothing, but a program that only passes it on cannot tell.

const TIMESCALE = 1_000;
const IDENTITY = [0x00010000, 0, 0, 0, 0x00010000, 0, 0, 0, 0x40000000];
const FILLER = 'simulated video ';

function box(type: string, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const head = Buffer.alloc(8);
  head.writeUInt32BE(content.length + 8, 0);
  head.write(type, 4, 'latin1');
  return Buffer.concat([head, content]);
}

function numbers(...values: readonly number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4);
  return bytes;
}

/** Version 0: created, modified, time scale, duration, speed, volume, reserved, matrix, reserved, next track. */
function movieHeader(seconds: number): Buffer {
  const times = numbers(0, 0, 0, TIMESCALE, Math.round(seconds * TIMESCALE));
  return box('mvhd', times, numbers(0x00010000, 0x01000000, 0, 0, ...IDENTITY, 0, 0, 0, 0, 0, 0, 2));
}

/** `bytes` is the wanted size of the file; it is never smaller than its boxes. */
export function makeMovie(seconds: number, bytes = 4_096): Buffer {
  const kind = box('ftyp', Buffer.from('isom'), numbers(512), Buffer.from('isomiso2mp41'));
  const movie = box('moov', movieHeader(seconds));
  const filler = Math.max(0, bytes - kind.length - movie.length - 8);
  const data = Buffer.alloc(8);
  data.writeUInt32BE(filler + 8, 0);
  data.write('mdat', 4, 'latin1');
  return Buffer.concat([kind, movie, data, Buffer.alloc(filler, FILLER)]);
}
