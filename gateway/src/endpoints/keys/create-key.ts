// POST /v1/keys, /api/account/keys and /api/orgs/:orgId/keys. Only this answer contains the secret. In an organization
// a key can be made for another member, and its creator may give no more power than they have themselves.

import type { Principal } from '../../canonical/caller.ts';
import type { NewKeyObject } from '../../contract/account.ts';
import { CreateKeyBody, CreateOrgKeyBody } from '../../contract/keys.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { NewKey } from '../../modules/identity/key.ts';
import type { Member, Members } from '../../modules/orgs/members.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { keyObject, NO_ACTIVITY } from '../key-object.ts';
import { auditActor } from '../orgs/audit-actor.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { type AuthorityOf, type KeyAuthority, requireKeyWriter } from './authority.ts';
import { recordKeyChange } from './key-audit.ts';
import { newKeyFields } from './key-fields.ts';

type CreateKeyServices = Readonly<{
  database: Database;
  identity: Pick<Identity, 'createKey'>;
  members: Pick<Members, 'memberOf'>;
  audit: Pick<Audit, 'record'>;
  clock: Clock;
}>;

const CALLED_IN_CHANGES = { spendLimitUsd: 'limit', spendLimitPeriod: 'limit_reset', expiresAt: 'expires_at' };

/** For the person who makes the key. */
export function createKey(services: CreateKeyServices, authorityOf: AuthorityOf): PrincipalHandler {
  const readBody = bodyReader(CreateKeyBody, { calledElsewhere: CALLED_IN_CHANGES });
  return async (exchange, principal) => {
    const body = await readBody(exchange);
    const authority = await authorityOf(exchange, principal);
    requireKeyWriter(authority);
    const { accountId, member } = authority;
    const teamId = member?.role === 'team_admin' ? member.teamId : null;
    const newKey = { ...newKeyFields(body, services.clock.nowMs()), userId: principal.userId, accountId, teamId };
    await insert(exchange, services, principal, newKey);
  };
}

/** For a member of the organization in the path; without a name, for the person who makes it. */
export function createOrgKey(services: CreateKeyServices, authorityOf: AuthorityOf): PrincipalHandler {
  const readBody = bodyReader(CreateOrgKeyBody, { calledElsewhere: CALLED_IN_CHANGES });
  return async (exchange, principal) => {
    const { userId = principal.userId, teamId, ...fields } = await readBody(exchange);
    const authority = await authorityOf(exchange, principal);
    requireKeyWriter(authority);
    const { accountId } = authority;
    const newKey = newKeyFields(fields, services.clock.nowMs());
    const holder = await services.members.memberOf(accountId, userId);
    if (holder === null) throw new ApiError('http_404', 'userId: the organization has no such member.');
    requirePowerOver(authority, holder, newKey);
    const team = teamOf(authority, holder, teamId);
    await insert(exchange, services, principal, { ...newKey, userId, accountId, teamId: team });
  };
}

async function insert(
  exchange: Exchange,
  { database, identity, audit }: CreateKeyServices,
  principal: Principal,
  newKey: NewKey,
): Promise<void> {
  const { key, secret } = await withRoom(database, newKey.accountId, async (transaction) => {
    const created = await identity.createKey(transaction, newKey);
    await recordKeyChange(audit, transaction, auditActor(principal), { before: null, after: created.key });
    return created;
  });
  const answer: NewKeyObject = { ...keyObject(key, NO_ACTIVITY), key: secret };
  sendJson(exchange, 201, answer);
}

/** A management key acts as its holder: made for another member, it would give that member's role to its creator. */
function requirePowerOver({ member }: KeyAuthority, holder: Member, { keyType }: Pick<NewKey, 'keyType'>): void {
  if (member?.role !== 'team_admin' || holder.userId === member.userId) return;
  if (holder.teamId !== member.teamId || holder.role === 'org_admin') {
    throw new ApiError('http_403', 'userId: you may make keys for the members of your own team only.');
  }
  if (keyType !== 'management') return;
  throw new ApiError('http_403', 'keyType: you may make management keys for yourself only.');
}

/**
 * A key that a team's administrator makes belongs to the team. An organization's administrator states whether it does.
 */
function teamOf({ member }: KeyAuthority, holder: Member, teamId: string | null | undefined): string | null {
  const ofTeam = teamId ?? (member?.role === 'team_admin' ? member.teamId : null);
  if (ofTeam === null || ofTeam === holder.teamId) return ofTeam;
  throw new ApiError('http_400', "teamId: must be the member's own team.");
}
