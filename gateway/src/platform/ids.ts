// Identifiers. All are random (at least 96 bits), so that no id can be guessed from another. Bytes come from a pool:
// one call to the system's generator costs as much as hundreds of ids.

import { randomFillSync } from 'node:crypto';

const POOL_BYTES = 8192;
const TIME_BYTES = 6;
const pool = Buffer.allocUnsafe(POOL_BYTES);
let poolOffset = POOL_BYTES;

/** The place in the pool of this many unused bytes. */
function takeBytes(byteCount: number): number {
  if (poolOffset + byteCount > POOL_BYTES) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  poolOffset += byteCount;
  return poolOffset - byteCount;
}

function randomHex(byteCount: number): string {
  const offset = takeBytes(byteCount);
  return pool.toString('hex', offset, offset + byteCount);
}

type IdPrefix =
  | 'crd'
  | 'gen'
  | 'req'
  | 'mod'
  | 'file'
  | 'batch'
  | 'handed'
  | 'key'
  | 'usr'
  | 'org'
  | 'acc'
  | 'txn'
  | 'prc'
  | 'ord'
  | 'psk'
  | 'cod'
  | 'cob'
  | 'pay'
  | 'mem'
  | 'eml'
  | 'adr'
  | 'ntc'
  | 'ses'
  | 'team'
  | 'inv'
  | 'aud'
  | 'flt'
  | 'grd'
  | 'fed'
  | 'evd'
  | 'byok'
  | 'sct'
  | 'scu'
  | 'scg'
  | 'edukey'
  | 'eduses';

/** `usr-<24 hex digits>` and others. */
export function newId(prefix: IdPrefix): string {
  return `${prefix}-${randomHex(12)}`;
}

/**
 * `gen-<12 hex digits of the time><24 random ones>`, for rows that grow with every call: ids that were made together
 * are together in an index, so that adding one touches pages that are in memory. The random part is as long as that of
 * any id.
 */
export function newTimedId(prefix: 'gen', timeMs: number): string {
  const offset = takeBytes(TIME_BYTES + 12);
  pool.writeUIntBE(Math.trunc(timeMs), offset, TIME_BYTES);
  return `${prefix}-${pool.toString('hex', offset, offset + TIME_BYTES + 12)}`;
}

/** `vjob_<24 hex digits>`: the only kind of id whose spelling the specification sets. */
export function newVideoJobId(): string {
  return `vjob_${randomHex(12)}`;
}

/** The job of an order that has a generation already: always the same for the same generation. */
export const videoJobIdOf = (generationId: string): string => `vjob_${generationId.slice(-24)}`;

/** `msgbatch_<24 hex digits>`, as the SDKs expect. */
export function newMessageBatchId(): string {
  return `msgbatch_${randomHex(12)}`;
}

/** `job_<24 hex digits>`. */
export function newJobId(): string {
  return `job_${randomHex(12)}`;
}

/** The job of a call that has a generation already: always the same for the same generation. */
export const jobIdOf = (generationId: string): string => `job_${generationId.slice('gen-'.length)}`;

/** 32 hex digits. */
export const newTraceId = (): string => randomHex(16);

/** 16 hex digits. */
export const newSpanId = (): string => randomHex(8);
