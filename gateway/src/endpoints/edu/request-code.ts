// POST /api/edu/request-code. The answer always says that a code was sent; only the mailbox shows whether it was.

import type { CodeSentAnswer } from '../../contract/edu.ts';
import type { Handler } from '../../http/exchange.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { sendPrivate } from '../auth/private-answer.ts';
import { atFloor, type FormServices, readForm, refuse } from './form.ts';

const SENT: CodeSentAnswer = { ok: true, sent: true };

export function requestCode(services: FormServices & Readonly<{ logger: Logger }>): Handler {
  const { edu, logger } = services;
  return async (exchange) => {
    const form = await readForm(exchange, services);
    if (form === null) return refuse(exchange, 'invalid');
    const { outcome, retryAfterSeconds, afterwards } = await atFloor(services, () => edu.codes.request(form));
    if (outcome === 'accepted') sendPrivate(exchange, 200, SENT);
    else refuse(exchange, outcome, retryAfterSeconds);
    await afterwards().catch((error: unknown) => {
      const fields = { requestId: exchange.requestId, error: asError(error) };
      logger.error(fields, 'a code could not be sent');
    });
  };
}
