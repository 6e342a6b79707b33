// Tells of failed requests for codes: an organization's log gets refused requests, few enough to read, and a key at
// which many codes are guessed raises an alarm. No answer waits for this.

import type { RecordOnce } from '../../canonical/audit-entry.ts';
import { HOUR_MS } from '../../canonical/calendar.ts';
import type { JsonObject } from '../../canonical/json.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { SlidingWindow } from './limits.ts';
import { findInstitution } from './store/keys.ts';

export type RequestFailure =
  | 'rate_limited'
  | 'cooldown'
  | 'email_invalid'
  | 'domain_not_allowed'
  | 'domain_not_confirmed'
  | 'mailbox_full'
  | 'org_suspended';

export type FailuresOptions = Readonly<{
  database: Database;
  clock: Clock;
  logger: Logger;
  recordOnce: RecordOnce;
}>;

export type Failures = Readonly<{
  /** A code was asked for and not sent. A key that does not exist belongs to no organization's log. */
  requestFailed(keyHash: Buffer, failure: RequestFailure): Promise<void>;
  /** A wrong code was sent with this key. */
  guessFailed(keyHash: Buffer): Promise<void>;
}>;

const ONCE_PER_MS = 600_000;
const ALARM_FAILURES = 50;

export function createFailures({ database, clock, logger, recordOnce }: FailuresOptions): Failures {
  // Asked before the database, so that a flood costs only a look-up in memory.
  const quiet = new SlidingWindow({ max: 1, spanMs: ONCE_PER_MS });
  const guesses = new SlidingWindow({ max: ALARM_FAILURES - 1, spanMs: HOUR_MS });
  const alarms = new SlidingWindow({ max: 1, spanMs: HOUR_MS });

  const record = async (keyHash: Buffer, action: string, after: JsonObject): Promise<void> => {
    try {
      const institution = await findInstitution(database, keyHash);
      if (institution === null) return;
      const { orgId, keyId } = institution;
      const actor = { userId: null, keyId: null, kind: 'system' } as const;
      const subject = `${action}/${keyId}/${String(after.reason ?? '')}`;
      await recordOnce(
        { orgId, action, actor, targetType: 'edu_key', targetId: keyId, after },
        { subject, perMs: ONCE_PER_MS },
      );
    } catch (error) {
      logger.warn({ error: asError(error) }, 'a failed code was not logged');
    }
  };

  return {
    async requestFailed(keyHash, reason) {
      if (quiet.take(`${reason} ${keyHash.toString('base64')}`, clock.nowMs()) > 0) return;
      await record(keyHash, 'edu.code_request.failed', { reason });
    },
    async guessFailed(keyHash) {
      const nowMs = clock.nowMs();
      const subject = keyHash.toString('base64');
      if (guesses.take(subject, nowMs) === 0 || alarms.take(subject, nowMs) > 0) return;
      // A part of the hash, because the key itself is a secret.
      const fields = { keyHash: subject.slice(0, 12), failures: ALARM_FAILURES };
      logger.error(fields, 'many wrong codes within an hour were sent with one institution key');
      await record(keyHash, 'edu.codes.many_failed', { failures: ALARM_FAILURES, withinSeconds: HOUR_MS / 1000 });
    },
  };
}
