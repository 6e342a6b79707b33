// What the log of an organization says of a change: who made it, and what was before and after.

import type { JsonObject } from './json.ts';

export type AuditActor = Readonly<{
  /** Null where no person acted. */
  userId: string | null;
  /** The key that was used, if one was. */
  keyId: string | null;
  kind: 'user' | 'key' | 'operator' | 'system';
}>;

export type AuditEntry = Readonly<{
  orgId: string;
  /** `org.settings.update`, `org_member.add` and so on. */
  action: string;
  actor: AuditActor;
  targetType: string;
  targetId: string;
  before?: JsonObject | null;
  after?: JsonObject | null;
}>;

/** True when it was written; false when an entry of the subject was written less than `perMs` ago. */
export type RecordOnce = (entry: AuditEntry, once: Readonly<{ subject: string; perMs: number }>) => Promise<boolean>;
