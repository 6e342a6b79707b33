// The actor that the log names for a principal's change.

import type { AuditActor } from '../../canonical/audit-entry.ts';
import type { Principal } from '../../canonical/caller.ts';

export function auditActor({ userId, credential, caller }: Principal): AuditActor {
  return { userId, keyId: caller?.keyId ?? null, kind: credential === 'key' ? 'key' : 'user' };
}
