// A message of a binary event stream, as Amazon Bedrock sends them. What is named an exception is one.

import { crc32 } from 'node:zlib';
import type { JsonObject } from '../src/canonical/json.ts';

export function binaryEvent(type: string, body: JsonObject): Buffer {
  const header = (name: string, value: string) =>
    Buffer.concat([
      Buffer.from([name.length]),
      Buffer.from(name),
      Buffer.from([7, value.length >> 8, value.length & 255]),
      Buffer.from(value),
    ]);
  const isException = type.endsWith('Exception');
  const headers = Buffer.concat([
    header(isException ? ':exception-type' : ':event-type', type),
    header(':message-type', isException ? 'exception' : 'event'),
  ]);
  const payload = Buffer.from(JSON.stringify(body));
  const lengths = Buffer.concat([number(headers.length + payload.length + 16), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return Buffer.concat([message, number(crc32(message))]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
