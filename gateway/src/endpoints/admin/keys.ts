// The operator's routes on keys: GET and POST /admin/v1/users/:id/keys, PATCH and DELETE /admin/v1/keys/:id. Only the
// answer that creates a key contains its secret.

import type { KeyList, NewKeyObject } from '../../contract/account.ts';
import { KeySwitchBody, NewKeyBody } from '../../contract/admin.ts';
import type { KeyChangedAnswer } from '../../contract/keys.ts';
import type { Exchange, Handler } from '../../http/exchange.ts';
import { sendEmpty, sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Identity, KeyInScope } from '../../modules/identity/identity.ts';
import type { Key } from '../../modules/identity/store/keys.ts';
import { OPERATOR } from '../../modules/orgs/change.ts';
import type { KeyActivity, UsageReports } from '../../modules/usage/usage.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { keyObject, NO_ACTIVITY } from '../key-object.ts';
import { keyNotFound } from '../keys/authority.ts';
import { keyChangeRecorder } from '../keys/key-audit.ts';
import { bodyReader } from '../read-body.ts';
import { knownUser } from './known-user.ts';

type KeyServices = Readonly<{
  database: Database;
  identity: Identity;
  usage: Pick<UsageReports, 'activityOfKeys'>;
  clock: Clock;
  audit: Pick<Audit, 'record'>;
}>;

export const listUserKeys =
  ({ identity, usage, clock }: KeyServices): Handler =>
  async (exchange) => {
    const user = await knownUser(exchange, identity);
    const keys = await identity.listKeysOfUser(user.id);
    const activities = await readActivities(usage, keys, clock.nowMs());
    const answer: KeyList = { keys: keys.map((key) => keyObject(key, activities.get(key.id) ?? NO_ACTIVITY)) };
    sendJson(exchange, 200, answer);
  };

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

export function changeKeyOfUser({ identity, audit }: KeyServices): Handler {
  const readBody = bodyReader(KeySwitchBody, { fixed: ['id', 'name', 'key', 'keyType'] });
  return async (exchange) => {
    const { enabled } = await readBody(exchange);
    const changes = enabled === undefined ? {} : { isEnabled: enabled };
    const target = await knownKey(exchange, identity);
    if ((await identity.changeKey(target, changes, keyChangeRecorder(audit, OPERATOR))) === null) throw keyNotFound();
    const answer: KeyChangedAnswer = { updated: true };
    sendJson(exchange, 200, answer);
  };
}

export const deleteKeyOfUser =
  ({ identity, audit }: KeyServices): Handler =>
  async (exchange) => {
    const target = await knownKey(exchange, identity);
    if (!(await identity.revokeKey(target, keyChangeRecorder(audit, OPERATOR)))) throw keyNotFound();
    sendEmpty(exchange, 204);
  };

async function knownKey(exchange: Exchange, identity: Identity): Promise<KeyInScope> {
  const keyId = exchange.params.id ?? '';
  const accountId = await identity.accountOfKey(keyId);
  if (accountId === null) throw keyNotFound();
  return { scope: { accountId }, keyId };
}

/** A person's keys may belong to several accounts: their own, and those of their organizations. */
async function readActivities(
  usage: Pick<UsageReports, 'activityOfKeys'>,
  keys: readonly Key[],
  nowMs: number,
): Promise<ReadonlyMap<string, KeyActivity>> {
  const accountIds = [...new Set(keys.map(({ accountId }) => accountId))];
  const readings = accountIds.map((accountId) => {
    const keyIds = keys.filter((key) => key.accountId === accountId).map(({ id }) => id);
    return usage.activityOfKeys(accountId, keyIds, nowMs);
  });
  return new Map((await Promise.all(readings)).flatMap((activities) => [...activities]));
}
