// Sends a head and what follows it in one write, without a copy of its own for each call: all of a process's sockets
// share the memory in which both are put together. What the system does not take at once stays with its socket, so the
// memory is small.

import type { Socket } from 'node:net';

const SHARED_BYTES = 16_384;
let shared = Buffer.allocUnsafeSlow(SHARED_BYTES);

/** Whether there is room for both; copying more costs more than a second piece. */
export const isJoinable = (head: string, bytes: Uint8Array): boolean => head.length + bytes.length <= SHARED_BYTES;

/** One character of the head is one byte. As `write` of the socket, which must not be an encrypted one. */
export function writeJoined(socket: Socket, head: string, bytes: Uint8Array): boolean {
  const length = shared.write(head, 'latin1');
  shared.set(bytes, length);
  const isTaken = socket.write(shared.subarray(0, length + bytes.length));
  if (socket.writableLength > 0) shared = Buffer.allocUnsafeSlow(SHARED_BYTES);
  return isTaken;
}
