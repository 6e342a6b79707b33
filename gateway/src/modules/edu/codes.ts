// Asking for a code and guessing it. No answer, delay or limit may tell whether a key exists, a domain is allowed or a
// code was sent: all requests are counted and looked up alike, and what only a real student causes (the code, the mail,
// the log entry) happens after the answer.

import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { harmlessName, type Mail, type Mailer, mailboxOf } from '../../platform/mail/mailer.ts';
import { type Address, parseAddress } from './address.ts';
import type { Failures, RequestFailure } from './failures.ts';
import type { EduLimits } from './limits.ts';
import { type EduHashes, newCode } from './secrets.ts';
import type { OpenedSession, StudentSessions } from './sessions.ts';
import * as store from './store/codes.ts';
import { configOf, findInstitution, type InstitutionRow } from './store/keys.ts';

export type Applicant = Readonly<{
  key: string;
  email: string;
  /** Where the request comes from. */
  source: string;
}>;

type CodeRequested = Readonly<{
  outcome: 'accepted' | 'rate_limited' | 'cooldown';
  /** 0 when accepted. */
  retryAfterSeconds: number;
  /** The work that is left to do after the answer. */
  afterwards(): Promise<void>;
}>;

export type CodeGuessed =
  | Readonly<{ outcome: 'opened'; session: OpenedSession }>
  | Readonly<{ outcome: 'invalid'; afterwards(): Promise<void> }>
  | Readonly<{ outcome: 'too_many_attempts' }>
  | Readonly<{ outcome: 'rate_limited'; retryAfterSeconds: number }>;

export type Codes = Readonly<{
  request(applicant: Applicant): Promise<CodeRequested>;
  guess(applicant: Applicant, code: string): Promise<CodeGuessed>;
}>;

type CodesOptions = Readonly<{
  database: Database;
  clock: Clock;
  mailer: Mailer;
  hashes: EduHashes;
  limits: EduLimits;
  failures: Failures;
  sessions: Pick<StudentSessions, 'open'>;
}>;

/** Compared with when there is no code, so that both cases take the same time. */
const NO_CODE = Buffer.alloc(32);

export function createCodes(options: CodesOptions): Codes {
  return {
    request: (applicant) => request(applicant, options),
    guess: (applicant, code) => guess(applicant, code, options),
  };
}

type Pair = Readonly<{ keyHash: Buffer; pair: Buffer; address: Address | null }>;

function pairOf({ key, email }: Applicant, hashes: EduHashes): Pair {
  const keyHash = hashes.key(key);
  const address = parseAddress(email);
  return { keyHash, address, pair: hashes.pair(keyHash, address?.email ?? email) };
}

async function request(applicant: Applicant, options: CodesOptions): Promise<CodeRequested> {
  const { database, clock, hashes, limits, failures } = options;
  const { keyHash, pair, address } = pairOf(applicant, hashes);
  const afterFailure = (failure: RequestFailure) => () => failures.requestFailed(keyHash, failure);
  const sourceWait = await limits.take('request-source', applicant.source);
  const retryAfterSeconds = sourceWait > 0 ? sourceWait : await limits.take('request-key', keyHash.toString('base64'));
  if (retryAfterSeconds > 0) {
    return { outcome: 'rate_limited', retryAfterSeconds, afterwards: afterFailure('rate_limited') };
  }
  const nowMs = clock.nowMs();
  const row = await store.beginCode(database, { pair, keyHash, nowMs });
  if (!row.isBegun) {
    const waitMs = (row.opensAt?.getTime() ?? nowMs) - nowMs;
    const waitSeconds = Math.max(1, Math.ceil(waitMs / 1000));
    return { outcome: 'cooldown', retryAfterSeconds: waitSeconds, afterwards: afterFailure('cooldown') };
  }
  const institution = row.keyId === null ? null : row;
  const refusal = refusalOf(institution, address);
  const afterwards =
    institution === null || address === null || refusal !== null
      ? afterFailure(refusal ?? 'email_invalid')
      : async () => {
          // Counted over all keys and organizations, and after the answer, which must not tell what others have asked
          // for.
          if ((await limits.take('mailbox', hashes.mailbox(mailboxOf(address.email)))) > 0)
            return afterFailure('mailbox_full')();
          await issue({ pair, institution, address, requestedAtMs: nowMs }, options);
        };
  return { outcome: 'accepted', retryAfterSeconds: 0, afterwards };
}

/** Null when a student of the institution is asking, or when the key belongs to no institution. */
function refusalOf(institution: InstitutionRow | null, address: Address | null): RequestFailure | null {
  if (address === null) return 'email_invalid';
  if (institution === null) return null;
  if (institution.isSuspended) return 'org_suspended';
  if (!configOf(institution).allowedDomains.includes(address.domain)) return 'domain_not_allowed';
  const { isVouched, memberDomains, confirmedDomains } = institution;
  if (confirmedDomains.includes(address.domain)) return null;
  const isConfirmed = isVouched && (memberDomains.length === 0 || memberDomains.includes(address.domain));
  return isConfirmed ? null : 'domain_not_confirmed';
}

type Issue = Readonly<{ pair: Buffer; institution: InstitutionRow; address: Address; requestedAtMs: number }>;

async function issue(
  { pair, institution, address, requestedAtMs }: Issue,
  { database, mailer, hashes }: CodesOptions,
): Promise<void> {
  const { verificationTtlSeconds: ttlSeconds } = configOf(institution);
  const code = newCode();
  const codeHash = hashes.code(pair, code);
  const expiresAtMs = requestedAtMs + ttlSeconds * 1000;
  await database.transaction(async (transaction) => {
    if (!(await store.issueCode(transaction, { pair, requestedAtMs, codeHash, expiresAtMs }))) return;
    const mail = codeMail({ to: address.email, code, organizationName: institution.orgName, ttlSeconds });
    await mailer.send(mail, transaction);
  });
}

async function guess(applicant: Applicant, code: string, options: CodesOptions): Promise<CodeGuessed> {
  const { database, clock, hashes, limits, failures, sessions } = options;
  const { keyHash, pair, address } = pairOf(applicant, hashes);
  const retryAfterSeconds = await limits.take('guess-source', applicant.source);
  if (retryAfterSeconds > 0) return { outcome: 'rate_limited', retryAfterSeconds };
  const nowMs = clock.nowMs();
  const [taken, institution] = await Promise.all([
    store.takeGuess(database, pair, nowMs),
    findInstitution(database, keyHash),
  ]);
  if (taken === null) return { outcome: 'too_many_attempts' };
  const codeHash = taken.codeHash ?? NO_CODE;
  const isSame = timingSafeEqual(hashes.code(pair, code), codeHash) && taken.codeHash !== null;
  const isRight = isSame && nowMs < taken.expiresAt.getTime() && refusalOf(institution, address) === null;
  if (isRight && institution !== null && address !== null) {
    const useCode: Parameters<typeof sessions.open>[1] = (transaction) => store.useCode(transaction, pair, codeHash);
    const session = await sessions.open({ institution, address }, useCode);
    if (session !== null) return { outcome: 'opened', session };
  }
  return { outcome: 'invalid', afterwards: () => failures.guessFailed(keyHash) };
}

// The mail with a code. The reader may not be the person who asked for it, so the mail repeats nothing that was typed
// on the form; the organization's name is chosen by its founder, and is made harmless.

const SECONDS_PER_MINUTE = 60;

type CodeMail = Readonly<{ to: string; code: string; organizationName: string; ttlSeconds: number }>;

const codeMail = ({ to, code, organizationName, ttlSeconds }: CodeMail): Mail => ({
  to,
  subject: 'Your Tollgate code',
  text: [
    `Your code: ${code}`,
    `Enter it within ${spanOf(ttlSeconds)}, where you asked for it.\nIt opens a session that this organization pays for:\n${harmlessName(organizationName)}`,
    'If you did not ask for it, do nothing: without the code nobody gets in.\n',
  ].join('\n\n'),
});

function spanOf(seconds: number): string {
  if (seconds < 2 * SECONDS_PER_MINUTE) return `${seconds} seconds`;
  return `${Math.floor(seconds / SECONDS_PER_MINUTE)} minutes`;
}
