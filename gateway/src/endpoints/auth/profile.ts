// PATCH /api/auth/profile: what a person may change about themselves.

import { type ProfileAnswer, ProfileBody } from '../../contract/auth.ts';
import { unauthorized } from '../../pipeline/authenticate.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import type { AuthServices } from './auth-services.ts';
import { sendPrivate } from './private-answer.ts';

export function changeProfile({ signIn }: AuthServices): PrincipalHandler {
  const readBody = bodyReader(ProfileBody, { fixed: ['id', 'email'] });
  return async (exchange, { userId }) => {
    const { name } = await readBody(exchange);
    const changed = await signIn.rename(userId, name.trim());
    if (changed === null) throw unauthorized();
    const answer: ProfileAnswer = { id: changed.id, email: changed.email, name: changed.name };
    sendPrivate(exchange, 200, answer);
  };
}
