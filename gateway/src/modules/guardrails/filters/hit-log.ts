// Writes to an organization's log that a rule was hit. Hits come as fast as calls, so the first hit of a rule by a key
// is written at once, and those of the next minute are counted and written together. No call waits for this, and the
// matched text is never written.

import type { AuditEntry } from '../../../canonical/audit-entry.ts';
import type { Caller } from '../../../canonical/caller.ts';
import type { Clock } from '../../../platform/clock.ts';
import { asError, type Logger } from '../../../platform/logger.ts';
import type { FilterRule } from './rule.ts';

type HitLogOptions = Readonly<{
  record(entry: AuditEntry): Promise<void>;
  clock: Clock;
  logger: Logger;
}>;

type HitLog = Readonly<{
  note(rule: FilterRule, caller: Caller): void;
  /** Writes what has only been counted so far. */
  close(): Promise<void>;
}>;

const PERIOD_MS = 60_000;
const SWEEP_MS = 5_000;
const SUBJECTS_MAX = 20_000;

type Counted = { rule: FilterRule; caller: Caller; requests: number; writtenAtMs: number };

export function createHitLog({ record, clock, logger }: HitLogOptions): HitLog {
  const counted = new Map<string, Counted>();
  const writing = new Set<Promise<void>>();

  const write = (entry: Counted): void => {
    const { requests } = entry;
    entry.requests = 0;
    entry.writtenAtMs = clock.monotonicMs();
    const written = record(entryOf(entry, requests)).catch((error: unknown) => {
      entry.requests += requests;
      logger.warn({ error: asError(error) }, 'hits of a content filter were not logged');
    });
    const done = written.finally(() => writing.delete(done));
    writing.add(done);
  };

  const sweep = (): void => {
    const dueMs = clock.monotonicMs() - PERIOD_MS;
    for (const [subject, entry] of counted) {
      if (entry.writtenAtMs > dueMs) continue;
      if (entry.requests > 0) write(entry);
      else counted.delete(subject);
    }
  };
  const stop = clock.every(SWEEP_MS, sweep);

  return {
    note(rule, caller) {
      // A rule whose action was changed is another: its hits are not told under the action that it had before.
      const subject = `${rule.id} ${rule.action} ${caller.keyId}`;
      const known = counted.get(subject);
      if (known !== undefined) {
        known.requests += 1;
        return;
      }
      // With so many subjects, the counts are written early and begin anew.
      if (counted.size >= SUBJECTS_MAX) {
        for (const entry of counted.values()) if (entry.requests > 0) write(entry);
        counted.clear();
      }
      const entry = { rule, caller, requests: 1, writtenAtMs: 0 };
      counted.set(subject, entry);
      write(entry);
    },
    async close() {
      stop();
      for (const entry of counted.values()) if (entry.requests > 0) write(entry);
      await Promise.all(writing);
    },
  };
}

const entryOf = ({ rule, caller }: Counted, requests: number): AuditEntry => ({
  orgId: rule.orgId,
  action: 'org.filter.hit',
  actor: { userId: caller.userId, keyId: caller.keyId, kind: 'key' },
  targetType: 'content_filter',
  targetId: rule.id,
  after: { name: rule.name, type: rule.type, action: rule.action, requests },
});
