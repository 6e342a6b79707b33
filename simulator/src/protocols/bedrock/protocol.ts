// What all operations of the `bedrock` protocol have in common: a signature or an API key, errors whose name is in a
// header, and frames that are packed as binary messages with checksums.

import type { IncomingHttpHeaders } from 'node:http';
import { crc32 } from 'node:zlib';
import { type Frame, type FrameKind, jsonAnswer, type WholeAnswer } from '../../answer.ts';
import type { JsonObject } from '../../json.ts';
import type { Protocol } from '../../operation.ts';

const NAMES: Readonly<Record<number, string>> = {
  400: 'ValidationException',
  401: 'UnrecognizedClientException',
  403: 'AccessDeniedException',
  404: 'ResourceNotFoundException',
  408: 'ModelTimeoutException',
  422: 'ValidationException',
  429: 'ThrottlingException',
  503: 'ServiceUnavailableException',
};
const TEXT_TYPE = 7;

function error(status: number, message: string): WholeAnswer {
  const name = NAMES[status] ?? 'InternalServerException';
  return jsonAnswer(status, { message }, { 'x-amzn-errortype': `${name}:http://internal.amazon.com/coral/` });
}

function refuseUnauthorized({ authorization = '' }: IncomingHttpHeaders): WholeAnswer | undefined {
  const isSigned =
    /^AWS4-HMAC-SHA256 Credential=\S+\/bedrock\/aws4_request, SignedHeaders=\S*host\S*, Signature=[0-9a-f]{64}$/;
  if (isSigned.test(authorization) || /^Bearer \S/i.test(authorization)) return undefined;
  return error(403, 'Missing Authentication Token');
}

const REFUSALS = {
  policy: 'The request was blocked by our content filters.',
  'context-length': 'Input is too long for requested model.',
} as const;

export const bedrockProtocol: Protocol = {
  requestIdHeader: 'x-amzn-requestid',
  refuseUnauthorized,
  error,
  refusal: (kind) => error(400, REFUSALS[kind]),
  errorFrame: () =>
    packedFrame('finish', 'serviceUnavailableException', { message: 'Simulated failure.' }, 'exception'),
};

function header(name: string, value: string): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(Buffer.byteLength(value));
  return Buffer.concat([
    Buffer.from([name.length]),
    Buffer.from(name),
    Buffer.from([TEXT_TYPE]),
    length,
    Buffer.from(value),
  ]);
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

export function packedFrame(kind: FrameKind, type: string, body: JsonObject, messageType = 'event'): Frame {
  const data = JSON.stringify(body);
  const headers = Buffer.concat([
    header(messageType === 'event' ? ':event-type' : ':exception-type', type),
    header(':content-type', 'application/json'),
    header(':message-type', messageType),
  ]);
  const payload = Buffer.from(data);
  const lengths = Buffer.concat([number(headers.length + payload.length + 16), number(headers.length)]);
  const message = Buffer.concat([lengths, number(crc32(lengths)), headers, payload]);
  return { kind, data, packed: Buffer.concat([message, number(crc32(message))]) };
}
