// Writes unpaid cost to the database: everything that has gathered goes in one transaction, one at a time. What cannot
// be written waits and is added up, so that it takes no more memory the longer it waits.

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import {
  allowanceOf,
  type ExposureRules,
  ORGANIZATION_FACTOR,
  type Standing,
  sharedCost,
  withLevel,
  withUnpaid,
} from './exposure-rules.ts';
import { lockStandings, type StandingRow, type Subject, writeStandings } from './store.ts';

/** A row as it is now, and how much of the waiting cost was added to it. */
export type Written = Readonly<{ row: StandingRow; addedNanoUsd: NanoUsd }>;

/** The user of the row that stands for all of an organization. */
export const EVERYBODY = '';

type ExposureWriterParts = Readonly<{
  database: Database;
  clock: Clock;
  logger: Logger;
  rules: () => ExposureRules;
  /** The account's money, which decides the allowance. Never rejects. */
  moneyOf(accountId: string): NanoUsd | Promise<NanoUsd>;
  onWritten(standings: readonly Written[]): void;
}>;

type Pending = Subject & Readonly<{ costNanoUsd: NanoUsd; reason: string; isRefused: boolean }>;

const RETRY_MS = 1_000;

export class ExposureWriter {
  readonly #parts: ExposureWriterParts;
  #pending = new Map<string, Pending>();
  #writing: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: ExposureWriterParts) {
    this.#parts = parts;
  }

  add({ accountId, userId }: Subject, costNanoUsd: NanoUsd, reason: string): void {
    this.#put({ accountId, userId, costNanoUsd, reason, isRefused: false });
    this.#writing ??= this.#writeAll();
  }

  /** A call was refused because of what its caller has left unpaid. */
  refuse({ accountId, userId }: Subject, reason: string): void {
    this.#put({ accountId, userId, costNanoUsd: 0n, reason, isRefused: true });
    this.#writing ??= this.#writeAll();
  }

  /** Written at once and tried once: a failure goes to the caller. */
  async change(subjects: readonly Subject[], change: (standing: Standing) => Standing): Promise<void> {
    const { database, clock, onWritten } = this.#parts;
    const written = await database.transaction(async (transaction) => {
      const rows = await lockStandings(transaction, subjects, clock.nowMs());
      const changed = rows.map(({ accountId, userId, ...standing }) => ({ accountId, userId, ...change(standing) }));
      await writeStandings(transaction, changed);
      return changed;
    });
    onWritten(written.map((row) => ({ row, addedNanoUsd: 0n })));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#writing;
  }

  #put(added: Pending): void {
    const known = this.#pending.get(keyOf(added));
    const costNanoUsd = added.costNanoUsd + (known?.costNanoUsd ?? 0n);
    const isRefused = added.isRefused || known?.isRefused === true;
    this.#pending.set(keyOf(added), { ...added, costNanoUsd, isRefused });
  }

  async #writeAll(): Promise<void> {
    const { clock, logger, onWritten } = this.#parts;
    while (this.#pending.size > 0) {
      const batch = [...this.#pending.values()];
      this.#pending = new Map();
      try {
        onWritten(await this.#write(batch));
      } catch (error) {
        for (const pending of batch) this.#put(pending);
        logger.warn({ error: asError(error) }, 'unpaid cost could not be written');
        if (this.#isClosed) break;
        await clock.sleep(RETRY_MS);
      }
    }
    this.#writing = null;
  }

  async #write(batch: readonly Pending[]): Promise<Written[]> {
    const { database, clock, rules, moneyOf } = this.#parts;
    const money = new Map<string, NanoUsd>();
    for (const { accountId } of batch) money.set(accountId, await moneyOf(accountId));
    return database.transaction(async (transaction) => {
      const nowMs = clock.nowMs();
      const locked = await lockStandings(transaction, withOrganizations(batch), nowMs);
      const written = addAll(locked, batch, { money, rules: rules(), nowMs });
      await writeStandings(
        transaction,
        written.map(({ row }) => row),
      );
      return written;
    });
  }
}

const keyOf = ({ accountId, userId }: Subject): string => `${accountId} ${userId}`;

function withOrganizations(batch: readonly Subject[]): readonly Subject[] {
  const members = batch.filter(({ accountId, userId }) => accountId !== userId);
  const accountIds = new Set(members.map(({ accountId }) => accountId));
  return [...batch, ...[...accountIds].map((accountId) => ({ accountId, userId: EVERYBODY }))];
}

type Terms = Readonly<{ money: ReadonlyMap<string, NanoUsd>; rules: ExposureRules; nowMs: number }>;

function addAll(locked: readonly StandingRow[], batch: readonly Pending[], terms: Terms): Written[] {
  const { money, rules, nowMs } = terms;
  const rows = new Map(locked.map((row) => [keyOf(row), row]));
  const written = new Map<string, Written>();
  const put = (row: StandingRow, standing: Standing, addedNanoUsd: NanoUsd): void => {
    const { accountId, userId } = row;
    const earlierNanoUsd = written.get(keyOf(row))?.addedNanoUsd ?? 0n;
    const next = { ...standing, accountId, userId };
    rows.set(keyOf(row), next);
    written.set(keyOf(row), { row: next, addedNanoUsd: earlierNanoUsd + addedNanoUsd });
  };
  for (const { costNanoUsd, reason, isRefused, ...subject } of batch) {
    const user = rows.get(keyOf(subject));
    if (user === undefined) continue;
    const allowanceNanoUsd = allowanceOf(money.get(user.accountId) ?? 0n, user.extraNanoUsd, rules);
    const added = { costNanoUsd, reason, isRefused, allowanceNanoUsd };
    put(user, withUnpaid(user, added, rules, nowMs), costNanoUsd);
    const all = rows.get(keyOf({ ...subject, userId: EVERYBODY }));
    if (all === undefined) continue;
    const shared = {
      costNanoUsd: sharedCost(user, added, nowMs),
      allowanceNanoUsd: allowanceNanoUsd * ORGANIZATION_FACTOR,
    };
    put(all, withLevel(all, shared, rules, nowMs), costNanoUsd);
  }
  return [...written.values()];
}
