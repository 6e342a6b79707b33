// POST /webhooks/:provider: a payment provider's notifications. The body is read as bytes, because the signature covers
// bytes; the answer only says whether to send it again.

import { readBody } from '../../http/body.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Payments } from '../../modules/payments/payments.ts';

export const receiveNotification =
  (payments: Pick<Payments, 'receive'>): Handler =>
  async (exchange) => {
    const body = await readBody(exchange);
    const header = (name: string): string | undefined => {
      const value = exchange.request.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    await payments.receive(exchange.params.provider ?? '', { body, header });
    sendJson(exchange, 200, { received: true });
  };
