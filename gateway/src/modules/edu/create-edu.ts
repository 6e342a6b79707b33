// Puts the parts of the institution plan together.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Mailer } from '../../platform/mail/mailer.ts';
import { type Codes, createCodes } from './codes.ts';
import { createFailures, type FailuresOptions } from './failures.ts';
import { createInstitutions, type Institutions } from './institutions.ts';
import { createProcessLimits, type EduLimits } from './limits.ts';
import { createStudentQuotas, type StudentQuotas } from './quotas.ts';
import { createEduHashes } from './secrets.ts';
import { createSessionCallers, type OrgRules, type SessionCallers } from './session-callers.ts';
import { createStudentSessions, type StudentSessions } from './sessions.ts';
import { forgetCodesBefore } from './store/codes.ts';
import { forgetSessionsBefore } from './store/sessions.ts';

export type Edu = Readonly<{
  codes: Codes;
  institutions: Institutions;
  sessions: StudentSessions;
  quotas: StudentQuotas;
  callers: SessionCallers;
  /** Removes old codes and sessions. */
  forgetOld(): Promise<void>;
}>;

type EduOptions = Readonly<{
  database: Database;
  clock: Clock;
  logger: Logger;
  mailer: Mailer;
  /** The root secret, from which each purpose gets its own key. */
  secret: string;
  rules: OrgRules;
  forgetCallers(id: string): Promise<void>;
  recordOnce: FailuresOptions['recordOnce'];
  /** Counted in this process where it is left out. */
  limits?: EduLimits;
}>;

/** As long as a lock lasts: whoever waits a day to be forgotten guesses no more than whoever waits for its end. */
const CODES_KEPT_MS = DAY_MS;
/** Ended sessions stay in the list for this long. */
const SESSIONS_KEPT_MS = 30 * DAY_MS;

export function createEdu(options: EduOptions): Edu {
  const { database, clock, secret } = options;
  const parts = { ...options, hashes: createEduHashes(secret) };
  const sessions = createStudentSessions(parts);
  const failures = createFailures(options);
  return {
    codes: createCodes({ ...parts, limits: options.limits ?? createProcessLimits(clock), failures, sessions }),
    institutions: createInstitutions(parts),
    sessions,
    quotas: createStudentQuotas(options),
    callers: createSessionCallers(parts),
    async forgetOld() {
      const nowMs = clock.nowMs();
      await forgetCodesBefore(database, nowMs - CODES_KEPT_MS, nowMs);
      await forgetSessionsBefore(database, nowMs - SESSIONS_KEPT_MS);
    },
  };
}
