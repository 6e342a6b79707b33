// Signing in through an organization's own issuer. While such a session is used the issuer is asked again, and when it
// no longer knows the person the session ends. Membership is decided in another module.

import type { Clock } from '../../../platform/clock.ts';
import { open, type SealingKey, seal } from '../../../platform/crypto.ts';
import type { Database, Queryable } from '../../../platform/db/database.ts';
import type { Logger } from '../../../platform/logger.ts';
import type { SealedColumn, SealedRow } from '../../../platform/sealed-column.ts';
import { Shares } from '../../../platform/shares.ts';
import { SlowOwners } from '../../../platform/slow-owners.ts';
import type { Sessions } from '../sessions.ts';
import * as store from '../store/sign-on.ts';
import { type Issuer, type Issuers, SignOnError } from './issuers.ts';
import { readRules, type SignOnRules } from './rules.ts';

const CHECK_AFTER_MS = 600_000;
const CHECKS_AT_ONCE = 50;
const OF_ORG_MAX = 10;
/** For all organizations together whose issuers were slow lately. */
const OF_SLOW_MAX = 25;
/** Several where there is room for them, else one: what is taken together may all be of one organization. */
const TAKEN_AT_ONCE = [5, 1];

export type SignOnSettings = Readonly<{
  issuer: string;
  clientId: string;
  isRequired: boolean;
  /** For issuers whose tokens do not say that an address is verified. */
  trustsEmail: boolean;
  rules: SignOnRules;
}>;

/** A secret that is left out stays as it is. */
type SignOnChange = SignOnSettings & Readonly<{ clientSecret: string | undefined }>;

export type SignOn = Readonly<{
  issuers: Issuers;
  /** Null where the organization has none. */
  settingsOf(orgId: string): Promise<SignOnSettings | null>;
  issuerOf(orgId: string): Promise<Issuer | null>;
  /**
   * Throws `SignOnError` where the issuer cannot be used; false when there is no secret yet. Sessions of a previous
   * issuer end.
   */
  change(orgId: string, change: SignOnChange, log: Log): Promise<boolean>;
  /** Ends its sessions. False when there was none. */
  remove(orgId: string, log: Log): Promise<boolean>;
  /** As it is stored with a session. */
  sealRefreshToken(orgId: string, refreshToken: string): string;
  /** Asks issuers about sessions that were used since the last check. */
  checkDue(): Promise<void>;
}>;

type Log = (transaction: Queryable) => Promise<void>;

type SignOnOptions = Readonly<{
  database: Database;
  clock: Clock;
  logger: Logger;
  sealKey: SealingKey;
  issuers: Issuers;
  /** The platform's own issuer. */
  platform: Issuer | null;
  sessions: Pick<Sessions, 'end' | 'announce'>;
}>;

export function createSignOn(options: SignOnOptions): SignOn {
  const { database, clock, sealKey, issuers, platform, sessions } = options;
  const slow = new SlowOwners(clock);
  const issuerOf = async (orgId: string): Promise<Issuer | null> => {
    if (orgId === '') return platform;
    const row = await store.findSignOn(database, orgId);
    const clientSecret = row === null ? null : open(sealKey, row.clientSecret, orgId);
    if (row === null || clientSecret === null) return null;
    return { orgId, issuer: row.issuer, clientId: row.clientId, clientSecret };
  };
  const endAll = async (orgId: string, change: Log): Promise<void> => {
    const ended = await database.transaction(async (transaction) => {
      await change(transaction);
      return store.endSignOnSessions(transaction, orgId);
    });
    for (const { id } of ended) await sessions.announce(id);
  };
  return {
    issuers,
    issuerOf,
    async settingsOf(orgId) {
      const row = await store.findSignOn(database, orgId);
      if (row === null) return null;
      const { issuer, clientId, isRequired, trustsEmail, rules } = row;
      return { issuer, clientId, isRequired, trustsEmail, rules: readRules(rules) };
    },
    async change(orgId, { clientSecret: given, ...settings }, log) {
      const before = await issuerOf(orgId);
      const isSameIssuer = before?.issuer === settings.issuer;
      // A stored secret is sent only to the issuer that it was given for.
      const clientSecret = given ?? (isSameIssuer ? before?.clientSecret : undefined);
      if (clientSecret === undefined) return false;
      await issuers.check({ orgId, issuer: settings.issuer, clientId: settings.clientId, clientSecret });
      const row = { ...settings, orgId, clientSecret: seal(sealKey, clientSecret, orgId) };
      const put: Log = async (transaction) => {
        await store.putSignOn(transaction, row, clock.nowMs());
        await log(transaction);
      };
      if (isSameIssuer) await database.transaction(put);
      else await endAll(orgId, put);
      return true;
    },
    async remove(orgId, log) {
      if ((await store.findSignOn(database, orgId)) === null) return false;
      await endAll(orgId, async (transaction) => {
        await store.dropSignOn(transaction, orgId);
        await log(transaction);
      });
      return true;
    },
    sealRefreshToken: (orgId, refreshToken) => seal(sealKey, refreshToken, `refresh:${orgId}`),
    checkDue: () => checkDue(issuerOf, slow, options),
  };
}

/** Of many sessions, each organization has a share at once, and one that has none under way comes first. */
async function checkDue(issuerOf: SignOn['issuerOf'], slow: SlowOwners, options: SignOnOptions): Promise<void> {
  const { clock, database } = options;
  const nowMs = clock.nowMs();
  const times = { nowMs, beforeMs: nowMs - CHECK_AFTER_MS };
  const shares = new Shares(OF_ORG_MAX);
  const underWay = new Set<Promise<void>>();
  const away = new Set<string>();
  const failures: unknown[] = [];
  const take = async (isIdle: boolean): Promise<readonly store.DueSession[]> => {
    for (const size of TAKEN_AT_ONCE) {
      const limit = Math.min(size, CHECKS_AT_ONCE - underWay.size);
      const slowIds = slow.ids();
      const busySlow = shares.ofAll(slowIds) + limit > OF_SLOW_MAX ? slowIds : [];
      for (const room of [OF_ORG_MAX, limit]) {
        const busyIds = [...shares.without(room), ...busySlow];
        const taken = await store.takeDueSessions(database, { ...times, limit, busyIds });
        if (taken.length > 0 || isIdle) return taken;
      }
    }
    return [];
  };
  const begin = (session: store.DueSession): void => {
    const { orgId } = session;
    const sinceMs = clock.monotonicMs();
    shares.begin(orgId);
    const checking = checkOne(session, { issuerOf, away }, options)
      .catch((error: unknown) => void failures.push(error))
      .finally(() => {
        shares.end(orgId);
        slow.ended(orgId, sinceMs);
        underWay.delete(checking);
      });
    underWay.add(checking);
  };
  while (failures.length === 0) {
    // What was under way before may be over by now, so only an idle look proves that nothing is due.
    const isIdle = underWay.size === 0;
    const taken = await take(isIdle);
    if (taken.length === 0 && isIdle) return;
    for (const session of taken) if (!away.has(session.orgId)) begin(session);
    const mustWait = taken.length === 0 || underWay.size === CHECKS_AT_ONCE;
    if (mustWait && underWay.size > 0) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  throw failures[0];
}

/** `away` holds the organizations whose issuer did not answer in this round. */
type Round = Readonly<{ issuerOf: SignOn['issuerOf']; away: Set<string> }>;

/** An issuer that does not answer decides nothing: it is asked again when the session is next due. */
async function checkOne(
  { id, userId, orgId, refreshToken: sealed }: store.DueSession,
  { issuerOf, away }: Round,
  { database, sealKey, issuers, sessions, logger }: SignOnOptions,
): Promise<void> {
  const issuer = await issuerOf(orgId);
  const refreshToken = open(sealKey, sealed, `refresh:${orgId}`);
  try {
    const next = issuer === null || refreshToken === null ? null : await issuers.refresh(issuer, refreshToken);
    if (next === null) await sessions.end(userId, id);
    else if (next !== refreshToken) {
      await store.renewSession(database, { id, userId, refreshToken: seal(sealKey, next, `refresh:${orgId}`) });
    }
  } catch (error) {
    if (!(error instanceof SignOnError)) throw error;
    away.add(orgId);
    logger.warn({ orgId, error }, 'an issuer could not be asked about a session');
  }
}

const sealedIn = { type: 'text', purposes: ['sign-on'] } as const;
const token = {
  column: 'refresh_token',
  also: ['sign_on_org_id'],
  boundTo: ({ sign_on_org_id: orgId = '' }: SealedRow) => `refresh:${orgId}`,
} as const;

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...sealedIn,
    ...{ table: 'org_sign_on', key: { org_id: 'text' }, column: 'client_secret' },
    boundTo: ({ org_id: orgId = '' }) => orgId,
  },
  { ...sealedIn, ...token, table: 'sessions', key: { id: 'text' } },
  { ...sealedIn, ...token, table: 'second_steps', key: { hash: 'bytea' } },
];
