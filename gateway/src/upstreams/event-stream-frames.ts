// Cuts an upstream's bytes into the messages of a binary event stream: lengths, headers and a payload between two
// checksums. After a wrong checksum nothing can be trusted, so no more messages are given.

import { crc32 } from 'node:zlib';
import type { StreamFault } from '../canonical/stream-part.ts';
import { PIECE_BYTES } from '../platform/piece-bytes.ts';

export type EventMessage = Readonly<{
  /** Only headers with text values, because no others are used. */
  headers: Readonly<Record<string, string>>;
  payload: Buffer;
}>;

type EventStreamFault = 'checksum' | 'oversize' | 'malformed';

const PRELUDE_BYTES = 12;
const CHECKSUM_BYTES = 4;
const MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
const HEADER_BYTES_MAX = 128 * 1024;
const NO_BYTES = Buffer.alloc(0);
const TEXT_TYPE = 7;
/** The length of a value by the number of its type; values of other types state their length. */
const VALUE_BYTES: ReadonlyMap<number, number> = new Map([
  [0, 0],
  [1, 0],
  [2, 1],
  [3, 2],
  [4, 4],
  [5, 8],
  [8, 8],
  [9, 16],
]);

export class EventStreamFrames {
  /** The bytes of an incomplete message. */
  #chunks: Buffer[] = [];
  #bytes = 0;
  /** How many bytes are needed for the next step. */
  #needed = PRELUDE_BYTES;
  fault: EventStreamFault | null = null;

  /** What the incomplete message takes in memory. */
  get keptBytes(): number {
    return this.#bytes + this.#chunks.length * PIECE_BYTES;
  }

  push(chunk: Buffer): readonly EventMessage[] {
    if (this.fault !== null || chunk.length === 0) return [];
    this.#chunks.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes < this.#needed) return [];
    return this.#cut(this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks));
  }

  streamFault(): StreamFault | null {
    const { fault } = this;
    if (fault === null) return null;
    return {
      kind: fault === 'oversize' ? fault : 'malformed',
      detail: `a message with a fault: ${fault}`,
      status: null,
    };
  }

  /** True when the upstream ended amid a message. */
  get isCut(): boolean {
    return this.fault === null && this.#bytes > 0;
  }

  #cut(bytes: Buffer): readonly EventMessage[] {
    const messages: EventMessage[] = [];
    let at = 0;
    this.#needed = PRELUDE_BYTES;
    while (bytes.length - at >= PRELUDE_BYTES && this.fault === null) {
      const length = bytes.readUInt32BE(at);
      this.fault = preludeFault(bytes, at);
      if (this.fault !== null) break;
      if (bytes.length - at < length) {
        this.#needed = length;
        break;
      }
      const message = this.#read(bytes.subarray(at, at + length));
      if (message !== null) messages.push(message);
      at += length;
    }
    const rest = this.fault === null ? bytes.subarray(at) : NO_BYTES;
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#bytes = rest.length;
    return messages;
  }

  #read(message: Buffer): EventMessage | null {
    const end = message.length - CHECKSUM_BYTES;
    if (crc32(message.subarray(0, end)) !== message.readUInt32BE(end)) {
      this.fault = 'checksum';
      return null;
    }
    const headersEnd = PRELUDE_BYTES + message.readUInt32BE(4);
    const headers = readHeaders(message.subarray(PRELUDE_BYTES, headersEnd));
    if (headers === null) this.fault = 'malformed';
    return headers === null ? null : { headers, payload: message.subarray(headersEnd, end) };
  }
}

function preludeFault(bytes: Buffer, at: number): EventStreamFault | null {
  if (crc32(bytes.subarray(at, at + 8)) !== bytes.readUInt32BE(at + 8)) return 'checksum';
  const length = bytes.readUInt32BE(at);
  const headersLength = bytes.readUInt32BE(at + 4);
  if (length > MESSAGE_BYTES_MAX || headersLength > HEADER_BYTES_MAX) return 'oversize';
  return headersLength > length - PRELUDE_BYTES - CHECKSUM_BYTES ? 'malformed' : null;
}

/** Null when the lengths do not fit. */
function readHeaders(bytes: Buffer): Record<string, string> | null {
  const headers: Record<string, string> = {};
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const type = bytes[nameEnd];
    if (type === undefined) return null;
    let valueStart = nameEnd + 1;
    let length = VALUE_BYTES.get(type);
    if (length === undefined) {
      if (type > 9 || valueStart + 2 > bytes.length) return null;
      length = bytes.readUInt16BE(valueStart);
      valueStart += 2;
    }
    if (valueStart + length > bytes.length) return null;
    if (type === TEXT_TYPE) {
      const name = bytes.toString('utf8', at + 1, nameEnd);
      Object.defineProperty(headers, name, {
        value: bytes.toString('utf8', valueStart, valueStart + length),
        enumerable: true,
        configurable: true,
      });
    }
    at = valueStart + length;
  }
  return headers;
}
