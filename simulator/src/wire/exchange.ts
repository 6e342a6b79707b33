// One request and its response, with what is needed to end it properly or improperly.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RequestRecord } from '../recorder.ts';

export type Exchange = Readonly<{ request: IncomingMessage; response: ServerResponse; record: RequestRecord }>;

// A reset that overtakes the bytes before it would hide them from the client, which would be another fault.
const RESET_GRACE_MS = 10;

export function isGone({ response }: Exchange): boolean {
  return response.destroyed || response.socket === null || response.socket.destroyed;
}

/** Waits, but no longer than the client does. Zero is one turn of the loop, which keeps writes separate. */
export function pause({ response }: Exchange, durationMs: number): Promise<void> {
  if (durationMs === 0) return new Promise((resolve) => setImmediate(resolve));
  return new Promise((resolve) => {
    if (response.destroyed) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      response.off('close', done);
      resolve();
    };
    const timer = setTimeout(done, durationMs);
    response.once('close', done);
  });
}

export function untilDrained({ response }: Exchange): Promise<void> {
  return new Promise((resolve) => {
    if (response.destroyed || !response.writableNeedDrain) return resolve();
    const done = (): void => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
}

/** Resets the connection: the client sees ECONNRESET, not an end. */
export async function resetConnection(exchange: Exchange): Promise<void> {
  exchange.record.endedByFault();
  const { socket } = exchange.response;
  if (socket === null) return;
  await pause(exchange, RESET_GRACE_MS);
  socket.resetAndDestroy();
}

/** Ends the TCP connection properly, whatever HTTP was in the middle of. */
export function hangUp(exchange: Exchange, lastBytes = ''): void {
  exchange.record.endedByFault();
  const { socket } = exchange.response;
  socket?.end(lastBytes, 'latin1', () => socket.destroySoon());
}
