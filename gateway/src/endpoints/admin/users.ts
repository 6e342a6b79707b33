// The operator's routes on users: GET and POST /admin/v1/users, GET and PATCH /admin/v1/users/:id. A user and the
// account that pays for them are created in one transaction, so that neither exists alone.

import {
  NewUserBody,
  type UserAnswer,
  UserChangesBody,
  type UserDetailAnswer,
  type UserListAnswer,
  type UserStateAnswer,
} from '../../contract/admin.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Handler } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { User } from '../../modules/identity/store/users.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Organizations } from '../../modules/orgs/orgs.ts';
import type { Database } from '../../platform/db/database.ts';
import { usdNumber } from '../../platform/money.ts';
import { openUser } from '../open-user.ts';
import { cutPage } from '../page.ts';
import type { OperatorHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { knownUser, userNotFound } from './known-user.ts';
import { listQuery } from './list-query.ts';
import { type OperatorGuard, refuseOperatorsAccount } from './operators-account.ts';

type UserServices = OperatorGuard &
  Readonly<{
    database: Database;
    identity: Identity;
    ledger: Pick<Ledger, 'openAccount' | 'account'>;
    organizations: Pick<Organizations, 'listOf'>;
  }>;

export const USER_SORTS = ['name', 'email', 'balance'] as const;

export const listUsers =
  ({ identity }: UserServices): Handler =>
  async (exchange) => {
    const query = listQuery(new URLSearchParams(exchange.queryText), USER_SORTS);
    const { rows, next } = cutPage(await identity.searchUsers(query), query.limit - 1);
    const users = rows.map((user) => ({
      ...toAnswer(user),
      createdAt: user.createdAt.toISOString(),
      balanceUsd: usdNumber(user.balanceNanoUsd),
    }));
    const answer: UserListAnswer = { users, next };
    sendJson(exchange, 200, answer);
  };

export function createUser(services: UserServices): OperatorHandler {
  const readBody = bodyReader(NewUserBody);
  return async (exchange, { role }) => {
    const body = await readBody(exchange);
    // Whoever knows it can act as the person, who may become an operator later.
    if (body.password !== undefined && role !== 'owner') {
      throw new ApiError('http_403', 'password: only an owner may set one. Leave it out: the person asks for a mail.');
    }
    const user = await services.database.transaction((transaction) => openUser(services, transaction, body));
    const answer: UserAnswer = { id: user.id, email: user.email, name: user.name };
    sendJson(exchange, 201, answer);
  };
}

export const readUser =
  ({ identity, ledger, organizations }: UserServices): Handler =>
  async (exchange) => {
    const user = await knownUser(exchange, identity);
    const [account, keys, memberships] = await Promise.all([
      ledger.account(user.id),
      identity.listKeysOfUser(user.id),
      organizations.listOf(user.id, null),
    ]);
    const answer: UserDetailAnswer = {
      ...toAnswer(user),
      createdAt: user.createdAt.toISOString(),
      balanceUsd: usdNumber(account.balanceNanoUsd),
      keyCount: keys.length,
      organizations: memberships.map(({ id, name, role }) => ({ id, name, role })),
    };
    sendJson(exchange, 200, answer);
  };

export function changeUser(services: UserServices): OperatorHandler {
  const { identity } = services;
  const readBody = bodyReader(UserChangesBody);
  return async (exchange, operator) => {
    const body = await readBody(exchange);
    const user = await knownUser(exchange, identity);
    await refuseOperatorsAccount(services, operator, user.id);
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
