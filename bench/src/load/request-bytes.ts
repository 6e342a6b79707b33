// A call as bytes, made once before the load begins.

import type { RequestShape } from '../targets/target.ts';
import type { RequestBytes } from './connection.ts';

export function requestBytes({ path, headers, body, contentType }: RequestShape, port: number): RequestBytes {
  const lines = [
    `POST ${path} HTTP/1.1`,
    `host: 127.0.0.1:${port}`,
    `content-type: ${contentType ?? 'application/json'}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return {
    bytes: Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`),
    isStream: body.includes('"stream":true'),
  };
}
