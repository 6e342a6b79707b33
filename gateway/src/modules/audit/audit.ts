// The log of what was changed in an organization, and by whom. A change and its entry are written in one transaction,
// so neither exists without the other. Entries are never changed, nor pushed out by newer ones: whoever adds too much
// in a day is refused instead, so that nobody can flush the record of what they did.

import type { AuditEntry, RecordOnce } from '../../canonical/audit-entry.ts';
import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import { RecentMap } from '../../platform/recent-map.ts';
import { hideSecrets } from './hide-secrets.ts';
import * as store from './store/org-log.ts';

export type AuditQuery = store.EntryFilter &
  Readonly<{ /** The `next` of the page before. */ cursor?: string | undefined }>;

/** The newest entries first; `next` is null on the last page. */
type AuditPage = Readonly<{ entries: readonly store.RecordedEntry[]; next: string | null }>;

export type Audit = Readonly<{
  /** 429 when the person has added as much in this organization as is kept of a day. */
  record(queryable: Queryable, entry: AuditEntry): Promise<void>;
  /** The same for what an organization's directory changes. */
  recordOfDirectory(queryable: Queryable, entry: AuditEntry): Promise<void>;
  /** For what calls bring about, which goes on without an entry when the person has caused too many in a day. */
  recordHit(entry: AuditEntry): Promise<void>;
  /** For events that may happen many times. */
  recordOnce: RecordOnce;
  /** Null when the organization has no entry with that cursor. */
  read(query: AuditQuery): Promise<AuditPage | null>;
  /** Removes entries older than this many days, none with 0, and counts that are over; answers how many entries. */
  forget(nowMs: number, keepDays: number): Promise<number>;
}>;

/** What somebody may add to the log of one organization in a day, in entries of ordinary size. */
const OF_PERSON = { beforeCredit: 1_000, afterCredit: 10_000 };
/** A directory speaks for everybody. */
const OF_DIRECTORY = { beforeCredit: 10_000, afterCredit: 100_000 };
/** A larger entry counts as several. */
const ENTRY_BYTES = 4_096;
/** Whose hits are left out need not be asked for in the database each time. */
const QUIET_MS = 600_000;
const QUIET_MAX = 10_000;
/** Marks are asked for a day after they were made, at most. */
const MARKS_KEPT_MS = 7 * DAY_MS;
const TOGETHER = 2_000;
/** One round leaves the rest to the next: many years may be removed when the retention is first set. */
const IN_A_ROUND = 500_000;

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
  const quietUntilMs = new RecentMap<number>({ sizeMax: QUIET_MAX });
  return {
    async record(queryable, entry) {
      const { userId, kind } = entry.actor;
      if (userId === null || kind === 'operator' || takesAway(entry)) {
        await store.insertEntry(queryable, toRow(entry));
        return;
      }
      const row = toRow(entry);
      const count = { subject: `changes/${userId}`, entries: sizeOf(row), max: OF_PERSON };
      if (!(await store.insertCounted(queryable, row, count))) throw tooMuch('You have');
    },
    async recordOfDirectory(queryable, entry) {
      const row = toRow(entry);
      const count = { subject: 'changes/directory', entries: sizeOf(row), max: OF_DIRECTORY };
      if (takesAway(entry)) await store.insertEntry(queryable, row);
      else if (!(await store.insertCounted(queryable, row, count))) throw tooMuch('The directory has');
    },
    async recordHit(entry) {
      const subject = `hits/${entry.actor.userId}`;
      const name = `${entry.orgId} ${subject}`;
      if ((quietUntilMs.get(name) ?? 0) > clock.nowMs()) return;
      const row = toRow(entry);
      const isWritten = await store.insertCounted(database, row, { subject, entries: sizeOf(row), max: OF_PERSON });
      if (!isWritten) quietUntilMs.set(name, clock.nowMs() + QUIET_MS);
    },
    recordOnce: (entry, { subject, perMs }) => store.insertEntryOnce(database, toRow(entry), { subject, perMs }),
    async read(query) {
      const before = query.cursor === undefined ? null : await store.findPosition(database, query.orgId, query.cursor);
      if (query.cursor !== undefined && before === null) return null;
      const rows = await store.listEntries(database, query, before);
      const shown = rows.slice(0, query.limit);
      return { entries: shown, next: rows.length > query.limit ? (shown.at(-1)?.id ?? null) : null };
    },
    async forget(nowMs, keepDays) {
      await store.forgetMarks(database, new Date(nowMs - MARKS_KEPT_MS));
      if (keepDays === 0) return 0;
      const before = new Date(nowMs - keepDays * DAY_MS);
      let entries = 0;
      for (let gone = TOGETHER; gone === TOGETHER && entries < IN_A_ROUND; entries += gone) {
        gone = await store.forgetEntries(database, before, TOGETHER);
      }
      return entries;
    },
  };
}

/**
 * Taking a key or a right away must be possible at any time, also for a person in whose name somebody else has added
 * all there may be. No more can be taken away than was added and counted.
 */
const takesAway = ({ before, after }: AuditEntry): boolean => (before ?? null) !== null && (after ?? null) === null;

function sizeOf({ before, after }: store.NewEntryRow): number {
  const bytes = [before, after].reduce((total, value) => total + Buffer.byteLength(JSON.stringify(value)), 0);
  return Math.max(1, Math.ceil(bytes / ENTRY_BYTES));
}

const tooMuch = (who: string): ApiError =>
  new ApiError(
    'http_429',
    `${who} made as many changes in this organization as its log takes in a day. Removing things is still possible; try anything else again tomorrow.`,
    { isTerminal: true },
  );
