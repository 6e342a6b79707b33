// POST /api/edu/verify: exchanges the code for a session's token. A wrong code, one that was never sent and one for an
// unknown key get the same answer.

import type { EduSessionAnswer } from '../../contract/edu.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import type { CodeGuessed } from '../../modules/edu/codes.ts';
import { sendPrivate } from '../auth/private-answer.ts';
import { atFloor, type FormServices, readForm, refuse } from './form.ts';

export function verifyCode(services: FormServices): Handler {
  const { edu } = services;
  return async (exchange) => {
    const form = await readForm(exchange, services);
    const code = form?.code ?? null;
    if (form === null || code === null) return refuse(exchange, 'invalid');
    const guessed = await atFloor(services, () => edu.codes.guess(form, code.trim()));
    answer(exchange, guessed);
    if (guessed.outcome === 'invalid') await guessed.afterwards();
  };
}

function answer(exchange: Exchange, guessed: CodeGuessed): void {
  if (guessed.outcome === 'rate_limited') refuse(exchange, guessed.outcome, guessed.retryAfterSeconds);
  else if (guessed.outcome !== 'opened') refuse(exchange, guessed.outcome);
  else {
    const { token, expiresAtMs, organization } = guessed.session;
    const session: EduSessionAnswer = { token, expiresAt: new Date(expiresAtMs).toISOString(), organization };
    sendPrivate(exchange, 200, session);
  }
}
