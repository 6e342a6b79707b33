// People, their organizations and their payments: sign-in, mail, organizations, payments.

import { resolveTxt } from 'node:dns/promises';
import { join } from 'node:path';
import { openUser } from '../endpoints/open-user.ts';
import type { Services } from '../endpoints/services.ts';
import { createAudit } from '../modules/audit/audit.ts';
import { createEdu, type Edu } from '../modules/edu/create-edu.ts';
import { createRedisLimits } from '../modules/edu/redis-limits.ts';
import type { CapsOfMember } from '../modules/identity/caller-caps.ts';
import { normalizeEmail } from '../modules/identity/email.ts';
import { createIdentity, type Identity } from '../modules/identity/identity.ts';
import { createLeaks } from '../modules/identity/leaks.ts';
import type { ModelsOfMember } from '../modules/identity/load-caller.ts';
import { hashPassword, verifyPassword } from '../modules/identity/password.ts';
import { createAccountTerms } from '../modules/ledger/account-terms.ts';
import { createAdjustments, createCorrections } from '../modules/ledger/adjustments.ts';
import type { Books } from '../modules/ledger/books.ts';
import type { Ledger } from '../modules/ledger/ledger.ts';
import { createMailQueue, type MailQueue } from '../modules/mail/mail-queue.ts';
import { modelsOfMember, modelsOfOrganization } from '../modules/orgs/allowed-models.ts';
import { breakersOfMember, createOrgBreakers } from '../modules/orgs/breakers.ts';
import { budgetsOfMember } from '../modules/orgs/budgets.ts';
import { createOrgServices, type OrgServices } from '../modules/orgs/create-orgs.ts';
import type { PeopleOptions } from '../modules/orgs/provisioning/people.ts';
import { createStatements } from '../modules/orgs/statements.ts';
import { createCreditCodes } from '../modules/payments/codes.ts';
import { createPayments } from '../modules/payments/payments.ts';
import { createProviders } from '../modules/payments/providers/all.ts';
import { createSignInParts, type SignInParts } from '../modules/signin/create-signin.ts';
import { deriveKey } from '../platform/crypto.ts';
import type { Database } from '../platform/db/database.ts';
import { createMailTransport } from '../platform/mail/create-transport.ts';
import type { MailTransport } from '../platform/mail/mailer.ts';
import type { RootSecret } from '../platform/root-secret.ts';
import type { Given, Parts } from './parts.ts';

export function createMail(
  { config, clock, logger, storage: { database } }: Parts,
  secret: RootSecret,
  siteUrl: () => string,
): Readonly<{ queue: MailQueue; transport: MailTransport }> {
  const { smtpUrl, mailFrom: from, dataDir } = config;
  const transport = createMailTransport({ smtpUrl, outboxFolder: join(dataDir, 'outbox'), from, siteUrl });
  const queue = createMailQueue({ database, transport, sealKey: secret.sealingKey('mail'), clock, logger });
  return { queue, transport };
}

export function createPeople(
  { config, clock, logger, storage }: Parts,
  { secret, mailer, siteUrl }: Given,
  outbound: Services['outbound'],
): SignInParts {
  const { database, notices } = storage;
  const passwords = { hash: hashPassword, verify: verifyPassword };
  // An operator who opens private networks may have an issuer there without TLS.
  const issuers = { outbound, allowHttp: config.ssrfAllow.length > 0, oauth: config.oauth };
  return createSignInParts({ database, notices, clock, logger, mailer, passwords, secret, siteUrl, ...issuers });
}

/** The caps that an organization sets for the holder of one of its keys: by month, and by rate. */
const memberCaps =
  (database: Database): CapsOfMember =>
  async (orgId, userId) => {
    const [budgets, breakers] = await Promise.all([
      budgetsOfMember(database, orgId, userId),
      breakersOfMember(database, orgId, userId),
    ]);
    return [...breakers, ...budgets];
  };

const memberModels =
  (database: Database): ModelsOfMember =>
  (orgId, userId) =>
    modelsOfMember(database, orgId, userId);

/** Callers: holders of keys, and students with a session. */
export function createCallers(parts: Parts, given: Given): Pick<Services, 'identity' | 'edu' | 'leaks'> {
  const { clock, logger, storage } = parts;
  const { database, notices } = storage;
  const edu = createStudents(parts, given, (id) => identity.forgetCallers(id));
  const pepper = deriveKey(given.secret.hashing, 'keys');
  const identity = createIdentity({
    database,
    notices,
    pepper,
    clock,
    logger,
    capsOfMember: memberCaps(database),
    modelsOfMember: memberModels(database),
    sessionCallers: edu.callers,
  });
  const { mailer, siteUrl } = given;
  const leaks = createLeaks({ database, pepper, mailer, siteUrl, clock, forgetCallers: identity.forgetCallers });
  return { identity, edu, leaks };
}

/**
 * Students call in an organization's name without being members, so the caps and rules of the whole organization apply
 * to them.
 */
function createStudents(
  { clock, logger, storage: { database, redis } }: Parts,
  { secret, mailer }: Given,
  forgetCallers: Identity['forgetCallers'],
): Edu {
  const rules = {
    capsOf: (orgId: string, studentId: string) => breakersOfMember(database, orgId, studentId),
    modelsOf: (orgId: string) => modelsOfOrganization(database, orgId),
  };
  const { recordOnce } = createAudit({ database, clock });
  const limits = redis === null ? {} : { limits: createRedisLimits({ ...redis, clock }) };
  return createEdu({
    database,
    clock,
    logger,
    mailer,
    secret: secret.hashing,
    rules,
    forgetCallers,
    recordOnce,
    ...limits,
  });
}

type BillingParts = Readonly<{
  identity: Identity;
  ledger: Ledger;
  people: SignInParts;
  books: Pick<Books, 'inSession'>;
}>;

/** Payments from outside, and statements of what is owed. */
export async function createBilling(
  { config, options, clock, logger, storage }: Parts,
  given: Given,
  { identity, ledger, people, books }: BillingParts,
): Promise<
  Pick<
    Services,
    | 'adjustments'
    | 'creditCodes'
    | 'paymentAdvice'
    | 'payments'
    | 'orgBreakers'
    | 'audit'
    | 'statements'
    | keyof OrgServices
  >
> {
  const { mailer, siteUrl } = given;
  const { database, notices } = storage;
  const providers = await createProviders({ stripe: config.stripe }, clock);
  const accounts = createAccountTerms({ database, notices, clock });
  const audit = createAudit({ database, clock });
  const organizations = createOrgServices({
    database,
    accounts,
    clock,
    mailer,
    record: audit.record,
    recordOfDirectory: audit.recordOfDirectory,
    forgetCallers: identity.forgetCallers,
    revokeKeys: identity.revokeKeysOf,
    resolveTxt: options.resolveTxt ?? resolveTxt,
    linkOf: (token) => `${siteUrl()}/console/invitation#token=${token}`,
    provisioningPepper: deriveKey(given.secret.hashing, 'provisioning'),
    ...accountsOfPeople(identity, ledger, people),
  });
  return {
    paymentAdvice: () => paymentAdvice(given, providers.length > 0),
    adjustments: createAdjustments({ database, notices, clock }),
    creditCodes: createCreditCodes({
      database,
      clock,
      pepper: deriveKey(given.secret.hashing, 'credit-codes'),
      ledger,
    }),
    payments: createPayments({
      database,
      ledger,
      corrections: createCorrections(notices),
      providers,
      localChannels: config.topUpCurrencies,
      mailer,
      addressOf: async (userId) => (await identity.findUser(userId))?.email ?? null,
      mayPay: (owner) => mayPay(owner, identity, organizations),
      logger,
    }),
    ...organizations,
    audit,
    orgBreakers: createOrgBreakers({ database, forgetCallers: identity.forgetCallers }),
    statements: createStatements({ database, inSession: books.inSession, ledger, clock, logger }),
  };
}

/** What a directory changes of people besides their membership: accounts are opened, renamed, and signed out. */
function accountsOfPeople(
  identity: Identity,
  ledger: Ledger,
  { signIn, openSessions }: SignInParts,
): Pick<PeopleOptions, 'openAccount' | 'changeAccount' | 'endSessions' | 'announceSessions'> {
  return {
    async openAccount(transaction, account) {
      const { id, email } = await openUser({ identity, ledger }, transaction, account);
      // The address is verified now: a sign-up that waits for it may have been another person's.
      await signIn.dropSignUps(transaction, normalizeEmail(email) ?? '');
      return id;
    },
    async changeAccount(transaction, userId, account) {
      await signIn.dropForeignResets(transaction, userId, normalizeEmail(account.email) ?? '');
      return identity.changeProfile(transaction, userId, account);
    },
    endSessions: (transaction, userId) => openSessions.endAllIn(transaction, userId, null),
    announceSessions: openSessions.announce,
  };
}

/**
 * Whether a person may still buy for an account: their own, or that of an organization they administer and that is not
 * suspended.
 */
async function mayPay(
  { accountId, userId }: Readonly<{ accountId: string; userId: string }>,
  identity: Pick<Identity, 'findUser'>,
  { members, organizations }: Pick<OrgServices, 'members' | 'organizations'>,
): Promise<boolean> {
  const user = await identity.findUser(userId);
  if (user === null || user.isSuspended) return false;
  if (accountId === userId) return true;
  if ((await members.memberOf(accountId, userId))?.role !== 'org_admin') return false;
  return (await organizations.find(accountId))?.isSuspended === false;
}

/** Where to get more credit, for a caller who has run out of it. */
function paymentAdvice({ catalog, siteUrl }: Given, canTopUp: boolean): string | null {
  const { contact } = catalog.current().accounts;
  if (canTopUp) return `Top up at ${siteUrl()}/console/credits.`;
  return contact === null ? null : `Credit is given by ${contact.replace(/^mailto:/i, '')}.`;
}
