// Answers about a person, which no cache on the way may keep. Answers that need a credential say so by themselves.

import type { Exchange } from '../../http/exchange.ts';
import { type HeaderList, sendJson } from '../../http/respond.ts';

const NOT_KEPT: HeaderList = ['Cache-Control', 'no-store'];

export function sendPrivate(exchange: Exchange, status: number, body: object, headers: HeaderList = []): void {
  sendJson(exchange, status, body, exchange.route.access === 'public' ? [...NOT_KEPT, ...headers] : headers);
}
