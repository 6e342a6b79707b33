// A call as bytes, made once before the load begins.

import { type RequestShape, WORDS } from '../targets/target.ts';
import type { RequestBytes } from './connection.ts';

export function requestBytes({ path, headers, body, contentType }: RequestShape, port: number): RequestBytes {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `content-type: ${contentType ?? 'application/json'}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const bytes = Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
  return { bytes, isStream: body.includes('"stream":true'), textAt: bytes.indexOf(WORDS) };
}

const DIGITS = 12;
let count = 0;

/** Makes the prompt one that was never sent before, without making a copy of it. */
export function renew({ bytes, textAt }: RequestBytes): void {
  count += 1;
  bytes.write(String(count).padStart(DIGITS, '0'), textAt, 'latin1');
}
