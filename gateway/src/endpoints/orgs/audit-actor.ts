// Who the log names for a change that a principal made.

import type { Principal } from '../../canonical/caller.ts';
import type { AuditActor } from '../../modules/audit/audit.ts';

export function auditActor({ userId, credential, caller }: Principal): AuditActor {
  return { userId, keyId: caller?.keyId ?? null, kind: credential === 'key' ? 'key' : 'user' };
}
