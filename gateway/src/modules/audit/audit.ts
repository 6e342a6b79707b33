// The log of what was changed in an organization, and by whom. A change and its entry are written in one transaction,
// so neither exists without the other. Entries are never changed or removed.

import type { AuditActor, AuditEntry } from '../../canonical/audit-entry.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { hideSecrets } from './hide-secrets.ts';
import * as store from './store/org-log.ts';

type RecordedEntry = Readonly<{
  id: string;
  action: string;
  /** Name and email are the current ones; null for an actor that is not a user. */
  actor: AuditActor & Readonly<{ name: string | null; email: string | null }>;
  targetType: string;
  targetId: string;
  before: JsonObject | null;
  after: JsonObject | null;
  createdAtMs: number;
}>;

export type AuditQuery = store.EntryFilter &
  Readonly<{ /** The `next` of the page before. */ cursor?: string | undefined }>;

/** The newest entries first; `next` is null on the last page. */
type AuditPage = Readonly<{ entries: readonly RecordedEntry[]; next: string | null }>;

export type Audit = Readonly<{
  record(queryable: Queryable, entry: AuditEntry): Promise<void>;
  /**
   * For events that may happen many times: writes at most one entry for a subject within `perMs`. True when it was
   * written.
   */
  recordOnce(entry: AuditEntry, once: Readonly<{ subject: string; perMs: number }>): Promise<boolean>;
  /** Null when the organization has no entry with that cursor. */
  read(query: AuditQuery): Promise<AuditPage | null>;
}>;

export function createAudit({ database, clock }: Readonly<{ database: Database; clock: Clock }>): Audit {
  const toRow = ({ actor, before, after, ...entry }: AuditEntry): store.NewEntryRow => ({
    ...entry,
    id: newId('aud'),
    actorKind: actor.kind,
    actorUserId: actor.userId,
    actorKeyId: actor.keyId,
    before: hideSecrets(before ?? null),
    after: hideSecrets(after ?? null),
    createdAt: new Date(clock.nowMs()),
  });
  return {
    record: (queryable, entry) => store.insertEntry(queryable, toRow(entry)),
    recordOnce: (entry, { subject, perMs }) => store.insertEntryOnce(database, toRow(entry), { subject, perMs }),
    async read(query) {
      const before = query.cursor === undefined ? null : await store.findPosition(database, query.orgId, query.cursor);
      if (query.cursor !== undefined && before === null) return null;
      const rows = await store.listEntries(database, query, before);
      const shown = rows.slice(0, query.limit);
      return { entries: shown.map(toEntry), next: rows.length > query.limit ? (shown.at(-1)?.id ?? null) : null };
    },
  };
}

const toEntry = (row: store.EntryRow): RecordedEntry => ({
  id: row.id,
  action: row.action,
  actor: {
    kind: row.actorKind,
    userId: row.actorUserId,
    keyId: row.actorKeyId,
    name: row.actorName,
    email: row.actorEmail,
  },
  targetType: row.targetType,
  targetId: row.targetId,
  before: row.before,
  after: row.after,
  createdAtMs: row.createdAt.getTime(),
});
