// Vectors as numbers and as base64 of little-endian 32-bit floats. From base64 to numbers nothing is lost; the other
// way a number is rounded to 32 bits, as an upstream does when asked for base64.

import type { Vector } from '../../canonical/operation.ts';

const FLOAT_BYTES = 4;

export function encodeVector(vector: Vector, encoding: 'float' | 'base64' | null): Vector {
  if (encoding === 'base64' && typeof vector !== 'string') return toBase64(vector);
  if (encoding === 'float' && typeof vector === 'string') return toNumbers(vector);
  return vector;
}

function toBase64(numbers: readonly number[]): string {
  const bytes = Buffer.allocUnsafe(numbers.length * FLOAT_BYTES);
  for (const [index, number] of numbers.entries()) bytes.writeFloatLE(number, index * FLOAT_BYTES);
  return bytes.toString('base64');
}

function toNumbers(base64: string): readonly number[] {
  const bytes = Buffer.from(base64, 'base64');
  return Array.from({ length: bytes.length / FLOAT_BYTES }, (_, index) => bytes.readFloatLE(index * FLOAT_BYTES));
}
