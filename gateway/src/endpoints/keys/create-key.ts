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
  members: Pick<Members, 'hold'>;
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
    const { accountId } = authority;
    const fields = newKeyFields(body, services.clock.nowMs());
    const insertion = { principal, accountId, userId: principal.userId };
    await insert(exchange, services, insertion, (holder) => {
      if (holder === null && accountId !== principal.userId) throw noSuchMember();
      return { ...fields, teamId: holder?.role === 'team_admin' ? holder.teamId : null };
    });
  };
}

/** For a member of the organization in the path; without a name, for the person who makes it. */
export function createOrgKey(services: CreateKeyServices, authorityOf: AuthorityOf): PrincipalHandler {
  const readBody = bodyReader(CreateOrgKeyBody, { calledElsewhere: CALLED_IN_CHANGES });
  return async (exchange, principal) => {
    const { userId = principal.userId, teamId, ...body } = await readBody(exchange);
    const authority = await authorityOf(exchange, principal);
    requireKeyWriter(authority);
    const fields = newKeyFields(body, services.clock.nowMs());
    const insertion = { principal, accountId: authority.accountId, userId };
    await insert(exchange, services, insertion, (holder) => {
      if (holder === null) throw noSuchMember();
      requirePowerOver(authority, holder, fields);
      return { ...fields, teamId: teamOf(authority, holder, teamId) };
    });
  };
}

type Insertion = Readonly<{ principal: Principal; accountId: string; userId: string }>;
type KeyFor = (holder: Member | null) => Omit<NewKey, 'accountId' | 'userId'>;

/** A key of an organization is made while its holder is a member: a membership that ends meanwhile takes it with it. */
async function insert(
  exchange: Exchange,
  { database, identity, members, audit }: CreateKeyServices,
  { principal, accountId, userId }: Insertion,
  keyFor: KeyFor,
): Promise<void> {
  const { key, secret } = await withRoom(database, accountId, async (transaction) => {
    const newKey = keyFor(await members.hold(transaction, accountId, userId));
    const created = await identity.createKey(transaction, { ...newKey, accountId, userId });
    await recordKeyChange(audit, transaction, auditActor(principal), { before: null, after: created.key });
    return created;
  });
  const answer: NewKeyObject = { ...keyObject(key, NO_ACTIVITY), key: secret };
  sendJson(exchange, 201, answer);
}

const noSuchMember = (): ApiError => new ApiError('http_404', 'userId: the organization has no such member.');

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
