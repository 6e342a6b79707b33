// DELETE /v1/keys/:id, /api/account/keys/:id and /api/orgs/:orgId/keys/:id. The key is refused from the next call on;
// running calls end normally, and what the key has used stays in the reports.

import { sendEmpty } from '../../http/respond.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import { auditActor } from '../orgs/audit-actor.ts';
import type { PrincipalHandler } from '../protect.ts';
import { type AuthorityOf, type AuthorityServices, absentKey, requireKeyWriter, visibleKeys } from './authority.ts';
import { keyChangeRecorder } from './key-audit.ts';

type DeleteKeyServices = AuthorityServices &
  Readonly<{ identity: Pick<Identity, 'revokeKey'>; audit: Pick<Audit, 'record'> }>;

export const deleteKey =
  (services: DeleteKeyServices, authorityOf: AuthorityOf): PrincipalHandler =>
  async (exchange, principal) => {
    const authority = await authorityOf(exchange, principal);
    requireKeyWriter(authority);
    const keyId = exchange.params.id ?? '';
    const target = { scope: visibleKeys(authority), keyId };
    const isRevoked = await services.identity.revokeKey(
      target,
      keyChangeRecorder(services.audit, auditActor(principal)),
    );
    if (!isRevoked) throw await absentKey(services, authority, keyId);
    sendEmpty(exchange, 204);
  };
