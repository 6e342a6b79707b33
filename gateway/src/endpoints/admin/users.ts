// POST /admin/v1/users and PATCH /admin/v1/users/:id. A user and the account that pays for them come into being in one
// transaction, so that neither ever exists alone.

import { NewUserBody, type UserAnswer, UserChangesBody, type UserStateAnswer } from '../../contract/admin.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity, User } from '../../modules/identity/identity.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Database } from '../../platform/db/database.ts';
import { bodyReader } from '../read-body.ts';
import { knownUser, userNotFound } from './known-user.ts';

export type UserServices = Readonly<{ database: Database; identity: Identity; ledger: Pick<Ledger, 'openAccount'> }>;

export function createUser({ database, identity, ledger }: UserServices): Handler {
  const readBody = bodyReader(NewUserBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const user = await database.transaction(async (transaction) => {
      const created = await identity.createUser(transaction, body);
      await ledger.openAccount(transaction, created.id);
      return created;
    });
    const answer: UserAnswer = { id: user.id, email: user.email, name: user.name };
    sendJson(exchange, 201, answer);
  };
}

export function changeUser({ identity }: UserServices): Handler {
  const readBody = bodyReader(UserChangesBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const user = await knownUser(exchange, identity);
    const changed = body.suspended === undefined ? user : await identity.setSuspended(user.id, body.suspended);
    if (changed === null) throw userNotFound();
    sendJson(exchange, 200, toAnswer(changed));
  };
}

const toAnswer = (user: User): UserStateAnswer => ({
  id: user.id,
  email: user.email,
  name: user.name,
  suspended: user.isSuspended,
});
