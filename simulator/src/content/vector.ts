// A vector of unit length that follows from its text.

import { createHash } from 'node:crypto';

export function vectorOf(key: string, dimensions: number): Float32Array {
  let state = createHash('sha256').update(key).digest().readUInt32LE(0);
  const raw = Float64Array.from({ length: dimensions }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 0x8000_0000 - 1;
  });
  const length = Math.sqrt(raw.reduce((sum, figure) => sum + figure * figure, 0));
  return Float32Array.from(raw, (figure) => figure / length);
}
