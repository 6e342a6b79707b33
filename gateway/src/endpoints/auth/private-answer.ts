// Answers about a person: no cache on the way may keep them. Where a credential is needed every answer says so by itself.

import type { Exchange } from '../../http/exchange.ts';
import { type HeaderList, sendJson } from '../../http/respond.ts';

const NOT_KEPT: HeaderList = ['Cache-Control', 'no-store'];

export function sendPrivate(exchange: Exchange, status: number, body: object, headers: HeaderList = []): void {
  sendJson(exchange, status, body, exchange.route.access === 'public' ? [...NOT_KEPT, ...headers] : headers);
}
