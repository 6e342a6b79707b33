// What users' calls cost us without being paid for, and which users are restricted for it. A call asks memory only. New
// cost goes to the database at once, many together, where all processes add to the same row, and each process tells the
// others the result. While the database is away each process counts by itself, so nobody gains from an outage.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database, Notices } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { AccountExposure, type Bucket } from './account-exposure.ts';
import {
  allowanceOf,
  CLEAN,
  countedCost,
  type ExposureRules,
  FORGIVEN_MS,
  isOnRecord,
  isRestricted,
  isUsedUp,
  levelNow,
  ORGANIZATION_FACTOR,
  type Standing,
  type UnderWay,
  waitForRoom,
  withUnpaid,
} from './exposure-rules.ts';
import { EVERYBODY, ExposureWriter, type Written } from './exposure-writer.ts';
import { forgetStandings, readRecent, type StandingRow, type Subject } from './store.ts';

export type Restriction = Readonly<{
  /** Null: until an operator lifts it. */
  untilMs: number | null;
  reason: string;
}>;

export type ExposureView = Subject &
  Readonly<{
    unpaidNanoUsd: NanoUsd;
    inFlightNanoUsd: NanoUsd;
    allowanceNanoUsd: NanoUsd;
    extraNanoUsd: NanoUsd;
    /** How many in the last month. */
    restrictions: number;
    restriction: Restriction | null;
  }>;

export type ExposureFigures = Readonly<{ unpaidNanoUsd: NanoUsd; inFlightNanoUsd: NanoUsd; restricted: number }>;

export type Exposure = Readonly<{
  /** Null for a user who may call. */
  restrictionOf(subject: Subject): Restriction | null;
  /**
   * Counts a call as under way until `end`. When too much is unpaid or under way, the call is not counted, and the
   * answer is how long it has to wait. A promise only where the account's money is not known here yet.
   */
  begin(subject: Subject, call: UnderWay): number | Promise<number>;
  end(subject: Subject, call: UnderWay): void;
  /** Adds a cost that nobody will pay: `abandoned`, `oversize` and so on. */
  add(subject: Subject, costNanoUsd: NanoUsd, reason: string): void;
  view(subject: Subject): Promise<ExposureView>;
  /** All users with a level or a record, the restricted ones first, then by unpaid cost. */
  list(limit: number): Promise<readonly ExposureView[]>;
  /** Ends a restriction and clears the earlier ones; the organization's level is cleared too. */
  lift(subject: Subject): Promise<ExposureView>;
  /** Sets an addition to a user's allowance; 0 removes it. */
  raise(subject: Subject, extraNanoUsd: NanoUsd): Promise<ExposureView>;
  figures(): ExposureFigures;
  close(): Promise<void>;
}>;

type ExposureInput = Readonly<{
  database: Database;
  notices: Notices;
  clock: Clock;
  logger: Logger;
  /** Read at every call, so that the operator's changes apply at once. */
  rules: () => ExposureRules;
  /** The balance and the credit line of an account. */
  spendable(accountId: string): NanoUsd | Promise<NanoUsd>;
  /** What was charged to an account in the last month. */
  paidLately(accountId: string): Promise<NanoUsd>;
}>;

const TOPIC = 'exposure';
/** How old the knowledge of what an account has paid may be. */
const PAID_MS = 3_600_000;
/** Beyond this many, accounts without anything to remember are dropped. */
const ACCOUNTS_MAX = 100_000;

export async function openExposure(input: ExposureInput): Promise<Exposure> {
  const exposure = new SharedExposure(input);
  await exposure.start();
  return exposure;
}

class SharedExposure implements Exposure {
  readonly #input: ExposureInput;
  readonly #writer: ExposureWriter;
  readonly #accounts = new Map<string, AccountExposure>();
  #stop: () => void = () => {};

  constructor(input: ExposureInput) {
    this.#input = input;
    this.#writer = new ExposureWriter({
      ...input,
      moneyOf: (accountId) => this.#moneyOf(this.#accountOf(accountId)),
      onWritten: (written) => this.#written(written),
    });
  }

  async start(): Promise<void> {
    const { notices, clock, logger, database } = this.#input;
    notices.subscribe(TOPIC, (payload) => this.#hear(payload));
    notices.onGap(() => this.#read().catch((error: unknown) => logger.warn({ error: asError(error) }, UNREAD)));
    await this.#read();
    const forget = (): void => {
      forgetStandings(database, clock.nowMs() - FORGIVEN_MS).catch((error: unknown) =>
        logger.warn({ error: asError(error) }, 'rows of old unpaid cost could not be removed'),
      );
    };
    forget();
    this.#stop = clock.every(DAY_MS, forget);
  }

  restrictionOf({ accountId, userId }: Subject): Restriction | null {
    const standing = this.#accounts.get(accountId)?.users.get(userId)?.standing;
    return standing === undefined || standing.restrictedAtMs === null ? null : this.#restriction(standing);
  }

  begin(subject: Subject, call: UnderWay): number | Promise<number> {
    if (call.heldNanoUsd === 0n) return 0;
    const account = this.#accountOf(subject.accountId);
    const user = account.userOf(subject.userId);
    const { total } = account;
    const leastNanoUsd = total.underWay.leastNanoUsd + call.leastNanoUsd;
    // Nearly every call ends here, without a look at the account's money.
    if (user.isClean && total.isClean && leastNanoUsd <= this.#input.rules().baseNanoUsd) {
      account.begin(user, call);
      return 0;
    }
    const money = this.#moneyOf(account);
    if (typeof money !== 'bigint') return money.then((known) => this.#decide(subject, call, known));
    return this.#decide(subject, call, money);
  }

  end({ accountId, userId }: Subject, call: UnderWay): void {
    if (call.heldNanoUsd === 0n) return;
    const account = this.#accounts.get(accountId);
    const user = account?.users.get(userId);
    if (account !== undefined && user !== undefined) account.end(user, call);
  }

  add(subject: Subject, costNanoUsd: NanoUsd, reason: string): void {
    const counted = countedCost(costNanoUsd, reason);
    if (counted === 0n) return;
    const account = this.#accountOf(subject.accountId);
    const user = account.userOf(subject.userId);
    user.pendingNanoUsd += counted;
    user.lastReason = reason;
    if (subject.userId !== subject.accountId) account.total.pendingNanoUsd += counted;
    this.#writer.add(subject, counted, reason);
  }

  async view(subject: Subject): Promise<ExposureView> {
    const money = await this.#moneyOf(this.#accountOf(subject.accountId));
    return this.#viewOf(subject, money);
  }

  async list(limit: number): Promise<readonly ExposureView[]> {
    const rows: Promise<ExposureView>[] = [];
    for (const [accountId, { users }] of this.#accounts) {
      for (const [userId, { isIdle }] of users) if (!isIdle) rows.push(this.view({ accountId, userId }));
    }
    const views = await Promise.all(rows);
    const rank = ({ restriction }: ExposureView): number => (restriction === null ? 1 : 0);
    return views.sort((a, b) => rank(a) - rank(b) || Number(b.unpaidNanoUsd - a.unpaidNanoUsd)).slice(0, limit);
  }

  async lift(subject: Subject): Promise<ExposureView> {
    const { accountId, userId } = subject;
    const rows = accountId === userId ? [subject] : [subject, { accountId, userId: EVERYBODY }];
    const clear = ({ extraNanoUsd }: Standing): Standing => ({ ...CLEAN, extraNanoUsd, levelAtMs: this.#nowMs() });
    await this.#writer.change(rows, clear);
    return this.view(subject);
  }

  async raise(subject: Subject, extraNanoUsd: NanoUsd): Promise<ExposureView> {
    const money = await this.#moneyOf(this.#accountOf(subject.accountId));
    await this.#writer.change([subject], (standing) => {
      const levelAtMs = this.#nowMs();
      const rules = this.#input.rules();
      const allowanceNanoUsd = allowanceOf(money, standing.extraNanoUsd, rules);
      const levelNanoUsd = levelNow(standing, allowanceNanoUsd, rules, levelAtMs);
      return { ...standing, levelNanoUsd, levelAtMs, extraNanoUsd };
    });
    return this.view(subject);
  }

  figures(): ExposureFigures {
    let unpaidNanoUsd = 0n;
    let inFlightNanoUsd = 0n;
    let restricted = 0;
    const nowMs = this.#nowMs();
    for (const account of this.#accounts.values()) {
      inFlightNanoUsd += account.total.underWay.heldNanoUsd;
      for (const user of account.users.values()) {
        if (user.isIdle) continue;
        unpaidNanoUsd += this.#levelOf(user, this.#userAllowance(user, account.knownMoneyNanoUsd));
        if (isRestricted(user.standing, nowMs)) restricted += 1;
      }
    }
    return { unpaidNanoUsd, inFlightNanoUsd, restricted };
  }

  async close(): Promise<void> {
    this.#stop();
    await this.#writer.close();
  }

  #decide(subject: Subject, call: UnderWay, moneyNanoUsd: NanoUsd): number {
    const account = this.#accountOf(subject.accountId);
    const user = account.userOf(subject.userId);
    const rules = this.#input.rules();
    const allowanceNanoUsd = this.#userAllowance(user, moneyNanoUsd);
    const load = this.#loadOf(user, allowanceNanoUsd);
    let waitMs = waitForRoom(load, call, rules);
    if (waitMs > 0 && isUsedUp(load.levelNanoUsd, allowanceNanoUsd)) this.#restrict(subject, user, allowanceNanoUsd);
    if (subject.userId !== subject.accountId && waitMs === 0) {
      waitMs = waitForRoom(this.#loadOf(account.total, allowanceNanoUsd * ORGANIZATION_FACTOR), call, rules);
    }
    if (waitMs === 0) account.begin(user, call);
    return waitMs;
  }

  /** Restricts here at once, and everywhere as soon as the database has it. */
  #restrict(subject: Subject, user: Bucket, allowanceNanoUsd: NanoUsd): void {
    const { standing, pendingNanoUsd, lastReason: reason } = user;
    const nowMs = this.#nowMs();
    if (isRestricted(standing, nowMs)) return;
    const refused = { costNanoUsd: pendingNanoUsd, reason, isRefused: true, allowanceNanoUsd };
    user.standing = withUnpaid(standing, refused, this.#input.rules(), nowMs);
    this.#writer.refuse(subject, reason);
  }

  #loadOf(bucket: Bucket, allowanceNanoUsd: NanoUsd): Parameters<typeof waitForRoom>[0] {
    return {
      levelNanoUsd: this.#levelOf(bucket, allowanceNanoUsd),
      underWay: bucket.underWay,
      allowanceNanoUsd,
      isOnRecord: isOnRecord(bucket.standing, this.#nowMs()),
    };
  }

  #levelOf({ standing, pendingNanoUsd }: Bucket, allowanceNanoUsd: NanoUsd): NanoUsd {
    return levelNow(standing, allowanceNanoUsd, this.#input.rules(), this.#nowMs()) + pendingNanoUsd;
  }

  #userAllowance({ standing }: Bucket, moneyNanoUsd: NanoUsd): NanoUsd {
    return allowanceOf(moneyNanoUsd, standing.extraNanoUsd, this.#input.rules());
  }

  #moneyOf(account: AccountExposure): NanoUsd | Promise<NanoUsd> {
    const spendable = this.#input.spendable(account.accountId);
    if (typeof spendable === 'bigint' && this.#nowMs() - account.paidAtMs < PAID_MS)
      return account.moneyWith(spendable);
    return this.#readMoney(account, spendable);
  }

  /** When the money cannot be read, the last known figure is used, so that no call fails for this. */
  async #readMoney(account: AccountExposure, spendable: NanoUsd | Promise<NanoUsd>): Promise<NanoUsd> {
    const { paidLately, logger } = this.#input;
    try {
      const [standing, paid] = await Promise.all([spendable, paidLately(account.accountId)]);
      account.knowPaid(paid, this.#nowMs());
      return account.moneyWith(standing);
    } catch (error) {
      logger.warn({ error: asError(error) }, 'the payments of an account could not be read');
      return account.knownMoneyNanoUsd;
    }
  }

  #viewOf(subject: Subject, moneyNanoUsd: NanoUsd): ExposureView {
    const { accountId, userId } = subject;
    const user = this.#accountOf(accountId).userOf(userId);
    const allowanceNanoUsd = this.#userAllowance(user, moneyNanoUsd);
    return {
      accountId,
      userId,
      unpaidNanoUsd: this.#levelOf(user, allowanceNanoUsd),
      inFlightNanoUsd: user.underWay.heldNanoUsd,
      allowanceNanoUsd,
      extraNanoUsd: user.standing.extraNanoUsd,
      restrictions: isOnRecord(user.standing, this.#nowMs()) ? user.standing.restrictions : 0,
      restriction: this.#restriction(user.standing),
    };
  }

  #restriction(standing: Standing): Restriction | null {
    if (!isRestricted(standing, this.#nowMs())) return null;
    return { untilMs: standing.restrictedUntilMs, reason: standing.restrictedReason ?? 'abandoned' };
  }

  #written(written: readonly Written[]): void {
    for (const { row, addedNanoUsd } of written) {
      this.#bucketOf(row).pendingNanoUsd -= addedNanoUsd;
      this.#adopt(row);
      this.#input.notices.publish(TOPIC, noticeOf(row)).catch((error: unknown) => {
        this.#input.logger.warn({ error: asError(error) }, 'unpaid cost was not announced');
      });
    }
  }

  #hear(payload: string): void {
    const row = rowOf(payload);
    if (row !== null) this.#adopt(row);
  }

  async #read(): Promise<void> {
    const nowMs = this.#nowMs();
    const since = { levelMs: nowMs - this.#input.rules().recoveryMs, restrictionMs: nowMs - FORGIVEN_MS };
    for (const row of await readRecent(this.#input.database, since)) this.#adopt(row);
  }

  #adopt({ accountId, userId, ...standing }: StandingRow): void {
    const bucket = this.#bucketOf({ accountId, userId });
    // Notices may come late, and one of our own may come after a newer write.
    if (standing.levelAtMs < bucket.standing.levelAtMs) return;
    const wasRestricted = isRestricted(bucket.standing, this.#nowMs());
    bucket.standing = standing;
    if (wasRestricted || !isRestricted(standing, this.#nowMs())) return;
    const { restrictions, restrictedReason: reason } = standing;
    this.#input.logger.warn({ accountId, userId, restrictions, reason }, 'a user is restricted');
  }

  #bucketOf({ accountId, userId }: Subject): Bucket {
    const account = this.#accountOf(accountId);
    return userId === EVERYBODY ? account.total : account.userOf(userId);
  }

  #accountOf(accountId: string): AccountExposure {
    const known = this.#accounts.get(accountId);
    if (known !== undefined) return known;
    if (this.#accounts.size >= ACCOUNTS_MAX) this.#forgetIdle();
    const account = new AccountExposure(accountId);
    this.#accounts.set(accountId, account);
    return account;
  }

  #forgetIdle(): void {
    for (const [accountId, account] of this.#accounts) if (account.isIdle) this.#accounts.delete(accountId);
  }

  readonly #nowMs = (): number => this.#input.clock.nowMs();
}

const UNREAD = 'unpaid cost could not be read';

/** Amounts are text, because a notice is text and no digit may be lost. */
const noticeOf = ({ levelNanoUsd, extraNanoUsd, ...row }: StandingRow): string =>
  JSON.stringify({ ...row, levelNanoUsd: levelNanoUsd.toString(), extraNanoUsd: extraNanoUsd.toString() });

function rowOf(payload: string): StandingRow | null {
  try {
    const row = JSON.parse(payload);
    return { ...row, levelNanoUsd: BigInt(row.levelNanoUsd), extraNanoUsd: BigInt(row.extraNanoUsd) };
  } catch {
    // A process of another build may write it differently; the next reading takes it from the database.
    return null;
  }
}
