// Responses that wait for those before them on their connection. Node closes only the one whose turn it is when a client
// leaves, so these are closed here, and what their calls hold is let go.

import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { FramedResponse } from './framed-response.ts';

/** One listener for all of a connection: a client may send hundreds of requests ahead. */
const queues = new WeakMap<Socket, Set<FramedResponse>>();

/** Node has a response from its turn on. */
export function closeWhileQueued({ socket }: IncomingMessage, response: FramedResponse): void {
  if (response.socket !== null) return;
  const queue = queues.get(socket) ?? openQueue(socket);
  queue.add(response);
  response.once('socket', () => queue.delete(response));
}

function openQueue(socket: Socket): Set<FramedResponse> {
  const queue = new Set<FramedResponse>();
  queues.set(socket, queue);
  socket.once('close', () => {
    for (const response of queue) {
      response.destroyed = true;
      response.emit('close');
    }
  });
  return queue;
}
