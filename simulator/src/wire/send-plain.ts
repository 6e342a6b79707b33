// The fast path: a plain answer is turned into bytes once, chunk framing included, and sent in one write. Every frame
// stays a chunk of its own, because real upstreams frame them so and clients must parse that.

import type { Answer } from '../answer.ts';
import type { Exchange } from './exchange.ts';
import { plainFrame } from './frames.ts';

export type PreparedAnswer = Readonly<{
  status: number;
  headers: readonly string[];
  bytes: Buffer;
  /** Where the answer's sequence is in the bytes; a copy gets its own sequence there. */
  sequenceOffsets: readonly number[];
  /** Where each chunk of a stream ends; undefined for a whole answer. */
  chunkEnds: readonly number[] | undefined;
  delayMs: number | undefined;
}>;

const LINE_END = Buffer.from('\r\n');
const LAST_CHUNK = Buffer.from('0\r\n\r\n');

function offsetsOf(bytes: Buffer, sequence: string): readonly number[] {
  const offsets: number[] = [];
  for (let at = bytes.indexOf(sequence); at >= 0; at = bytes.indexOf(sequence, at + sequence.length)) offsets.push(at);
  return offsets;
}

export function prepareAnswer(answer: Answer, sequence: string, delayMs: number | undefined): PreparedAnswer {
  const headers = Object.entries(answer.headers).flat();
  if (answer.kind === 'whole') {
    headers.push('content-length', String(answer.body.length));
    const sequenceOffsets = offsetsOf(answer.body, sequence);
    return { status: answer.status, headers, bytes: answer.body, sequenceOffsets, chunkEnds: undefined, delayMs };
  }
  headers.push('transfer-encoding', 'chunked');
  const chunkEnds: number[] = [];
  const chunks: Buffer[] = [];
  let length = 0;
  for (const frame of answer.frames) {
    const frameBytes = frame.packed ?? Buffer.from(plainFrame(frame));
    const head = Buffer.from(`${frameBytes.length.toString(16)}\r\n`);
    chunks.push(head, frameBytes, LINE_END);
    length += head.length + frameBytes.length + LINE_END.length;
    chunkEnds.push(length);
  }
  const bytes = Buffer.concat([...chunks, LAST_CHUNK]);
  return { status: 200, headers, bytes, sequenceOffsets: offsetsOf(bytes, sequence), chunkEnds, delayMs };
}

export function withSequence(prepared: PreparedAnswer, sequence: string): PreparedAnswer {
  const bytes = Buffer.from(prepared.bytes);
  for (const offset of prepared.sequenceOffsets) bytes.write(sequence, offset, 'latin1');
  return { ...prepared, bytes };
}

function sendPaced({ response }: Exchange, bytes: Buffer, chunkEnds: readonly number[], delayMs: number): void {
  let sent = 0;
  let start = 0;
  const sendNext = (): void => {
    const end = chunkEnds[sent] ?? bytes.length;
    response.write(bytes.subarray(start, end));
    start = end;
    sent += 1;
    if (sent < chunkEnds.length) return;
    clearInterval(timer);
    response.end(bytes.subarray(start));
  };
  const timer = setInterval(sendNext, delayMs);
  response.once('close', () => clearInterval(timer));
  sendNext();
}

export function sendPlain(exchange: Exchange, prepared: PreparedAnswer, requestId: readonly [string, string]): void {
  const { response } = exchange;
  const { bytes, chunkEnds, delayMs } = prepared;
  response.writeHead(prepared.status, [...prepared.headers, ...requestId]);
  if (chunkEnds === undefined) {
    response.end(bytes);
    return;
  }
  // The bytes already have their chunk framing, so node:http must not add its own.
  response.chunkedEncoding = false;
  if (delayMs === undefined || delayMs === 0) response.end(bytes);
  else sendPaced(exchange, bytes, chunkEnds, delayMs);
}
