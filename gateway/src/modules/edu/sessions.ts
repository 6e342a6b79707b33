// Students' sessions: opened, and seen and ended by an administrator. Ending one applies in this process at once, in
// others when the notice arrives, and within a minute if it never does.

import type { Clock } from '../../platform/clock.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import { newId } from '../../platform/ids.ts';
import type { Address } from './address.ts';
import type { EduHashes } from './secrets.ts';
import { configOf, type InstitutionRow } from './store/keys.ts';
import * as store from './store/sessions.ts';

export type StudentSession = store.SessionRow;

export type OpenedSession = Readonly<{
  /** Only this answer contains the token. */
  token: string;
  expiresAtMs: number;
  organization: Readonly<{ id: string; name: string }>;
}>;

type Student = Readonly<{ institution: InstitutionRow; address: Address }>;

export type StudentSessions = Readonly<{
  /** `claim` runs in the same transaction; when it answers false, nothing is opened and the result is null. */
  open(student: Student, claim: (transaction: Queryable) => Promise<boolean>): Promise<OpenedSession | null>;
  /** Newest first. Reads one more than asked for, to tell whether there is another page. */
  list(filter: store.SessionFilter): Promise<readonly StudentSession[]>;
  /** False when the organization has no such session that is active. `log` runs in the same transaction. */
  revoke(
    place: Readonly<{ orgId: string; id: string }>,
    log: (transaction: Queryable, email: string) => Promise<void>,
  ): Promise<boolean>;
}>;

type StudentSessionsOptions = Readonly<{
  database: Database;
  clock: Clock;
  hashes: EduHashes;
  forgetCallers(id: string): Promise<void>;
}>;

export function createStudentSessions(options: StudentSessionsOptions): StudentSessions {
  const { database, clock, forgetCallers } = options;
  return {
    open: (student, claim) => open(student, claim, options),
    list: (filter) => store.listSessions(database, filter, clock.nowMs()),
    async revoke({ orgId, id }, log) {
      const isRevoked = await database.transaction(async (transaction) => {
        const email = await store.revokeSession(transaction, { orgId, id, atMs: clock.nowMs() });
        if (email !== null) await log(transaction, email);
        return email !== null;
      });
      if (isRevoked) await forgetCallers(id);
      return isRevoked;
    },
  };
}

async function open(
  { institution, address }: Student,
  claim: (transaction: Queryable) => Promise<boolean>,
  { database, clock, hashes, forgetCallers }: StudentSessionsOptions,
): Promise<OpenedSession | null> {
  const { orgId, orgName, keyId } = institution;
  const { sessionTtlSeconds, maxSessionsPerEmailPerKey } = configOf(institution);
  const token = hashes.newToken();
  const createdAtMs = clock.nowMs();
  const expiresAtMs = createdAtMs + sessionTtlSeconds * 1000;
  const row = {
    id: newId('eduses'),
    orgId,
    keyId,
    hash: hashes.token(token),
    email: address.email,
    mailbox: address.mailbox,
    studentId: hashes.studentId(orgId, address.mailbox),
    createdAtMs,
    expiresAtMs,
  };
  const replaced = await database.transaction(async (transaction) => {
    if (!(await claim(transaction))) return null;
    return store.insertSession(transaction, row, maxSessionsPerEmailPerKey);
  });
  if (replaced === null) return null;
  await Promise.all(replaced.map(forgetCallers));
  return { token, expiresAtMs, organization: { id: orgId, name: orgName } };
}
