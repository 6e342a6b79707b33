// What the log of an organization says about its keys. It has the label and the settings; it cannot have the secret,
// because nobody here has it.

import type { AuditActor, AuditEntry } from '../../canonical/audit-entry.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Audit } from '../../modules/audit/audit.ts';
import type { OnKeyChange } from '../../modules/identity/identity.ts';
import type { Key } from '../../modules/identity/store/keys.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { usdNumber } from '../../platform/money.ts';

type KeyAction = 'org.key.create' | 'org.key.update' | 'org.key.leaked' | 'org.key.revoke';
type KeyStates = Readonly<{ before: Key | null; after: Key | null }>;

/** A person's own keys are not logged: only organizations have a log. */
export async function recordKeyChange(
  audit: Pick<Audit, 'record'>,
  transaction: Queryable,
  actor: AuditActor,
  { before, after }: KeyStates,
): Promise<void> {
  const key = after ?? before;
  if (key === null || key.accountId === key.userId) return;
  const entry: AuditEntry = {
    orgId: key.accountId,
    action: actionOf(before, after),
    actor,
    targetType: 'key',
    targetId: key.id,
    before: loggedKey(before),
    after: loggedKey(after),
  };
  await audit.record(transaction, entry);
}

export const keyChangeRecorder =
  (audit: Pick<Audit, 'record'>, actor: AuditActor): OnKeyChange =>
  (transaction, before, after) =>
    recordKeyChange(audit, transaction, actor, { before, after });

function actionOf(before: Key | null, after: Key | null): KeyAction {
  if (before === null) return 'org.key.create';
  if (after === null) return 'org.key.revoke';
  return before.leakedAt?.getTime() === after.leakedAt?.getTime() ? 'org.key.update' : 'org.key.leaked';
}

function loggedKey(key: Key | null): JsonObject | null {
  if (key === null) return null;
  return {
    name: key.name,
    keyType: key.keyType,
    userId: key.userId,
    teamId: key.teamId,
    enabled: key.isEnabled,
    spendLimitUsd: key.spendLimitNanoUsd === null ? null : usdNumber(key.spendLimitNanoUsd),
    spendLimitPeriod: key.spendLimitPeriod,
    expiresAt: key.expiresAt?.toISOString() ?? null,
    allowedCidrs: [...key.allowedCidrs],
    freeFallback: key.hasFreeFallback,
    cacheTtlSeconds: key.cacheTtlSeconds,
    disableWhenLeaked: key.isDisabledWhenLeaked,
    leakedAt: key.leakedAt?.toISOString() ?? null,
    leakPlace: key.leakPlace,
  };
}
