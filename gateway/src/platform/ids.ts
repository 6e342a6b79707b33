// Identifiers. All are random (at least 96 bits), so that no id can be guessed from another. Bytes come from a pool:
// one call to the system's generator costs as much as hundreds of ids.

import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8192;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let poolOffset = POOL_BYTES;

function randomHex(byteCount: number): string {
  if (poolOffset + byteCount > POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const hex = pool.toString('hex', poolOffset, poolOffset + byteCount);
  poolOffset += byteCount;
  return hex;
}

export type IdPrefix =
  | 'gen'
  | 'req'
  | 'key'
  | 'usr'
  | 'org'
  | 'acc'
  | 'txn'
  | 'prc'
  | 'ord'
  | 'pay'
  | 'mem'
  | 'eml'
  | 'ses'
  | 'team'
  | 'inv'
  | 'aud'
  | 'flt'
  | 'evd'
  | 'byok'
  | 'edukey'
  | 'eduses';

/** `gen-<24 hex digits>` and its like. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}-${randomHex(12)}`;
}

/** `vjob_<24 hex digits>`: the one kind of id whose spelling the specification sets. */
export function newVideoJobId(): string {
  return `vjob_${randomHex(12)}`;
}

/** 32 hex digits. */
export const newTraceId = (): string => randomHex(16);

/** 16 hex digits. */
export const newSpanId = (): string => randomHex(8);
