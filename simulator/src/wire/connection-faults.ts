// Faults before an answer is complete enough to be HTTP. They write to the socket directly, because node:http would
// never write such bytes.

import type { ConnectionFault } from '../command-rules.ts';
import { type Exchange, hangUp, resetConnection } from './exchange.ts';

const HALF_HEADERS = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-le';
const GARBAGE = 'ICY 200 ~~ this is not the protocol you are looking for ~~\r\n\r\n';
const HEADERS_ONLY = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 512\r\n\r\n';

export async function breakConnection(exchange: Exchange, fault: ConnectionFault): Promise<void> {
  const { socket } = exchange.response;
  switch (fault) {
    case 'close':
      return hangUp(exchange);
    case 'reset':
      return resetConnection(exchange);
    case 'reset-in-headers':
      socket?.write(HALF_HEADERS);
      return resetConnection(exchange);
    case 'garbage':
      return hangUp(exchange, GARBAGE);
    case 'stall-in-headers':
      socket?.write(HALF_HEADERS);
      return;
    case 'stall-body':
      socket?.write(HEADERS_ONLY);
      return;
    case 'stall':
      return;
  }
}
