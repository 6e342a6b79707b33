// Sends a body piece by piece, as slowly and as incompletely as planned, as fast as the client reads.

import { type Exchange, hangUp, isGone, pause, resetConnection, untilDrained } from './exchange.ts';
import type { Ending } from './stream-faults.ts';

export type Transmission = Readonly<{
  status: number;
  /** Names and values in turn, as node:http takes them fastest. */
  headers: readonly string[];
  pieces: Iterable<Buffer> | AsyncIterable<Buffer>;
  /** The length to declare, which need not be the true one; undefined sends chunks. */
  declaredLength: number | undefined;
  pauseMs: number | undefined;
  ending: Ending;
  isCloseDelimited: boolean;
}>;

function writeHead({ response }: Exchange, transmission: Transmission): void {
  const headers = [...transmission.headers];
  if (transmission.isCloseDelimited) {
    response.useChunkedEncodingByDefault = false;
    response.shouldKeepAlive = false;
  } else if (transmission.declaredLength !== undefined) {
    headers.push('content-length', String(transmission.declaredLength));
  }
  response.writeHead(transmission.status, headers);
  response.flushHeaders();
}

const PIECES_PER_TURN = 32;

export async function transmit(exchange: Exchange, transmission: Transmission): Promise<void> {
  const { response } = exchange;
  const { pauseMs, ending } = transmission;
  writeHead(exchange, transmission);
  let sent = 0;
  for await (const piece of transmission.pieces) {
    if (sent > 0 && pauseMs !== undefined) await pause(exchange, pauseMs);
    sent += 1;
    if (isGone(exchange)) return;
    if (!response.write(piece)) await untilDrained(exchange);
    // The kernel may take megabytes at once, and other exchanges must have their turn meanwhile.
    if (sent % PIECES_PER_TURN === 0) await pause(exchange, 0);
  }
  if (isGone(exchange)) return;
  if (ending === 'end') response.end();
  else if (ending === 'reset') await resetConnection(exchange);
  else if (ending === 'cut') hangUp(exchange);
}
