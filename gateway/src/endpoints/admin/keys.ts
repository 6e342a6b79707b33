// POST /admin/v1/users/:id/keys. The secret is in this answer only; nobody can read it again.

import type { NewKeyObject } from '../../contract/account.ts';
import { NewKeyBody } from '../../contract/admin.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Database } from '../../platform/db/database.ts';
import { keyObject, NO_ACTIVITY } from '../key-object.ts';
import { bodyReader } from '../read-body.ts';
import { knownUser } from './known-user.ts';

export type KeyServices = Readonly<{ database: Database; identity: Identity }>;

export function createUserKey({ database, identity }: KeyServices): Handler {
  const readBody = bodyReader(NewKeyBody);
  return async (exchange) => {
    const body = await readBody(exchange);
    const user = await knownUser(exchange, identity);
    const { key, secret } = await identity.createKey(database, {
      name: body.name,
      keyType: body.keyType ?? 'standard',
      userId: user.id,
      accountId: user.id,
    });
    const answer: NewKeyObject = { ...keyObject(key, NO_ACTIVITY), key: secret };
    sendJson(exchange, 201, answer);
  };
}
