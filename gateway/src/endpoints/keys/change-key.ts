// PATCH /v1/keys/:id, /api/account/keys/:id and /api/orgs/:orgId/keys/:id. The label and the secret cannot be changed:
// a new key replaces an old one.

import { ChangeKeyBody, type KeyChangedAnswer } from '../../contract/keys.ts';
import { sendJson } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Clock } from '../../platform/clock.ts';
import { auditActor } from '../orgs/audit-actor.ts';
import type { PrincipalHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { type AuthorityOf, type AuthorityServices, absentKey, requireKeyWriter, visibleKeys } from './authority.ts';
import { keyChangeRecorder } from './key-audit.ts';
import { keyChanges } from './key-fields.ts';

type ChangeKeyServices = AuthorityServices &
  Readonly<{ identity: Pick<Identity, 'changeKey'>; audit: Pick<Audit, 'record'>; clock: Clock }>;

export function changeKey(services: ChangeKeyServices, authorityOf: AuthorityOf): PrincipalHandler {
  const { identity, audit } = services;
  const readBody = bodyReader(ChangeKeyBody, {
    fixed: ['id', 'name', 'key', 'keyType', 'createdAt'],
    calledElsewhere: {
      limit: 'spendLimitUsd',
      limit_reset: 'spendLimitPeriod',
      expires_at: 'expiresAt',
      disabled: 'enabled',
    },
  });
  return async (exchange, principal) => {
    const changes = keyChanges(await readBody(exchange), services.clock.nowMs());
    const authority = await authorityOf(exchange, principal);
    requireKeyWriter(authority);
    const keyId = exchange.params.id ?? '';
    const target = { scope: visibleKeys(authority), keyId };
    const changed = await identity.changeKey(target, changes, keyChangeRecorder(audit, auditActor(principal)));
    if (changed === null) throw await absentKey(services, authority, keyId);
    const answer: KeyChangedAnswer = { updated: true };
    sendJson(exchange, 200, answer);
  };
}
