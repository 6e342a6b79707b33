// Answers about a person: no cache on the way may keep them.

import type { Exchange } from '../../http/exchange.ts';
import { type HeaderList, sendJson } from '../../http/respond.ts';

const NOT_KEPT: HeaderList = ['Cache-Control', 'no-store'];

export function sendPrivate(exchange: Exchange, status: number, body: object, headers: HeaderList = []): void {
  sendJson(exchange, status, body, [...NOT_KEPT, ...headers]);
}
