// The ledger itself. What a call asks of it, its reservation from the first moment to the last, is in `reserver.ts`;
// here is the rest: reservations that outlive a call, accounts, and what can be said of the whole.

import type { Credit } from '../../canonical/credit.ts';
import type { GenerationRecord } from '../../canonical/generation.ts';
import type { SpendCap } from '../../canonical/spend-cap.ts';
import { ApiError } from '../../errors/api-error.ts';
import { assert } from '../../platform/assert.ts';
import { isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database, Notices, Queryable } from '../../platform/db/database.ts';
import { asError } from '../../platform/logger.ts';
import type { NanoUsd } from '../../platform/money.ts';
import { RECLAIMS_TOPIC } from './adjustments.ts';
import type { AuditScope } from './audit.ts';
import { capRefusal } from './cap-refusal.ts';
import { isSameReservation, moveToRow, releaseRow, settleRow } from './durable-reservations.ts';
import { type AccountFund, capFund } from './fund.ts';
import {
  type AccountView,
  type DurableCharge,
  type DurableReservation,
  type DurableView,
  type Ledger,
  type LedgerAudit,
  type LedgerCheck,
  type LedgerStatus,
  ledgerUnavailable,
  type Means,
  type Settlement,
  type Within,
} from './ledger.ts';
import type { OpenReservation } from './open-reservation.ts';
import { PARTLY_COVERED, Reserver, type ReserverParts } from './reserver.ts';
import { insertAccount, insertCredit, readAccount, readCredit } from './store/accounts.ts';
import { readCounter } from './store/counters.ts';
import { readReservation } from './store/reservations.ts';
import { findCharges } from './store/settlements.ts';

const BALANCES_TOPIC = 'balances';

type PrepaidLedgerParts = ReserverParts &
  Readonly<{
    database: Database;
    notices: Notices;
    audit: (scope: AuditScope) => Promise<LedgerAudit>;
    lostCharges: () => number;
    /** Stops the sweeping and returns what this process has leased. */
    leave: () => Promise<void>;
  }>;

const NO_ACCOUNT: AccountView = {
  kind: 'prepaid',
  balanceNanoUsd: 0n,
  spendableNanoUsd: 0n,
  heldNanoUsd: 0n,
  totalCreditedNanoUsd: 0n,
  totalSpentNanoUsd: 0n,
};

export class PrepaidLedger extends Reserver implements Ledger {
  readonly #parts: PrepaidLedgerParts;

  constructor(parts: PrepaidLedgerParts) {
    super(parts);
    this.#parts = parts;
    parts.notices.subscribe(BALANCES_TOPIC, (accountId) => parts.accounts.forgetBalances(accountId));
    parts.notices.subscribe(RECLAIMS_TOPIC, (accountId) => parts.accounts.doubt(accountId));
    parts.notices.onGap(() => parts.accounts.doubt(null));
  }

  async reserveDurable(order: DurableReservation, within: Within = async () => {}): Promise<void> {
    const { database, session } = this.#parts;
    const held = await this.#reserveOrder(order);
    if (held === null) return;
    held.end();
    this.openReservations -= 1;
    await this.#ask(moveToRow(held, order, { database, processId: () => session.processId, within }));
  }

  async settleDurable(id: string, record: GenerationRecord, charge: DurableCharge = {}): Promise<Settlement | null> {
    const settlement = await this.#ask(settleRow(this.#parts.database, id, this.named(record), charge));
    if (settlement === null) return null;
    this.#announceBalance(record.accountId);
    if (settlement.absorbedNanoUsd > 0n) this.#parts.onAbsorbed(record, settlement.absorbedNanoUsd, PARTLY_COVERED);
    this.tellAbsorbed(record);
    return settlement;
  }

  async releaseDurable(id: string, reason: string, record?: GenerationRecord): Promise<boolean> {
    const named = record === undefined ? undefined : this.named(record);
    const isReleased = await this.#ask(releaseRow(this.#parts.database, id, reason, named));
    if (isReleased && record !== undefined) this.tellAbsorbed(record);
    return isReleased;
  }

  async isCharged(generationId: string): Promise<boolean> {
    return (await this.#ask(findCharges(this.#parts.database, [generationId]))).has(generationId);
  }

  durable(id: string): Promise<DurableView | null> {
    return this.#ask(readReservation(this.#parts.database, id));
  }

  async used(cap: SpendCap): Promise<NanoUsd> {
    const { database, caps, clock } = this.#parts;
    const fund = capFund(cap, clock.nowMs());
    const usedNanoUsd = await this.#ask(readCounter(database, fund));
    return usedNanoUsd + caps.usedNanoUsd(fund.id);
  }

  processCount(): number {
    return this.#parts.session.processCount;
  }

  spendable(accountId: string): NanoUsd | Promise<NanoUsd> {
    const means = this.means(accountId);
    return means instanceof Promise ? means.then(({ spendableNanoUsd }) => spendableNanoUsd) : means.spendableNanoUsd;
  }

  means(accountId: string): Means | Promise<Means> {
    const fund = this.#parts.accounts.table.find(accountId)?.fund;
    return fund !== undefined && isKnown(fund) ? fund : this.#readMeans(accountId);
  }

  async account(accountId: string): Promise<AccountView> {
    return (await this.#ask(readAccount(this.#parts.database, accountId))) ?? NO_ACCOUNT;
  }

  async openAccount(queryable: Queryable, accountId: string): Promise<void> {
    await insertAccount(queryable, accountId);
  }

  async credit(input: Credit): Promise<NanoUsd> {
    assert(input.amountNanoUsd >= 0n, 'a credit is never negative');
    const credited = await this.#ask(insertCredit(this.#parts.database, input));
    if (credited === null) throw new ApiError('http_404', 'There is no such account.');
    if (!credited.isNew) await this.#assertSameCredit(input, credited.isTooMuch);
    this.#announceBalance(input.accountId);
    return credited.balanceNanoUsd;
  }

  async check(scope: AuditScope): Promise<LedgerCheck> {
    const audit = await this.#ask(this.#parts.audit(scope));
    const heldReservations = audit.heldReservations + this.openReservations;
    return { ...audit, ok: audit.discrepancies.length === 0, heldReservations };
  }

  status(): LedgerStatus {
    const { writer, accounts, caps, session } = this.#parts;
    return {
      processId: session.processId,
      isServing: this.isServing(),
      openReservations: this.openReservations,
      slices: accounts.table.size + caps.table.size,
      queuedSettlements: writer.queuedCount,
      settlementLagMs: writer.lagMs,
      journaledSettlements: writer.journaledCount,
      droppedRecords: writer.droppedRecords,
      buriedSettlements: writer.buriedCount,
      lostCharges: this.#parts.lostCharges(),
    };
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.#parts.writer.close();
    await this.#parts.leave();
  }

  /** Null when the same order was given before and its reservation exists. */
  async #reserveOrder(order: DurableReservation): Promise<OpenReservation | null> {
    const { accountId, id, amountNanoUsd, caps } = order;
    // The grace for a call that is larger than a whole cap allows one call at a time, which cannot be checked for jobs.
    const small = caps.find((cap) => cap.kind === 'cap' && cap.limitNanoUsd < amountNanoUsd);
    try {
      if (small !== undefined) throw capRefusal(small, this.#parts.clock.nowMs());
      return this.held(await this.reserve(accountId, id, amountNanoUsd, caps));
    } catch (error) {
      // The reservation of the first order may itself be what is missing.
      if (await this.#ask(isSameReservation(this.#parts.database, order))) return null;
      throw error;
    }
  }

  #announceBalance(accountId: string): void {
    const { notices, accounts, logger } = this.#parts;
    accounts.forgetBalances(accountId);
    notices.publish(BALANCES_TOPIC, accountId).catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'a change of a balance was not announced');
    });
  }

  async #readMeans(accountId: string): Promise<Means> {
    const { kind, spendableNanoUsd } = await this.account(accountId);
    const { accounts, clock } = this.#parts;
    Object.assign(accounts.of(accountId, clock.monotonicMs()).fund, { kind, spendableNanoUsd });
    return { kind, spendableNanoUsd };
  }

  async #assertSameCredit(input: Credit, isTooMuch: boolean): Promise<void> {
    const earlier = await this.#ask(readCredit(this.#parts.database, input.reference));
    if (earlier === null && isTooMuch) {
      throw new ApiError('http_400', 'The account would have more credit than an account can have.');
    }
    if (earlier?.accountId === input.accountId && earlier.amountNanoUsd === input.amountNanoUsd) return;
    throw new ApiError('http_409', 'This reference was already used for another credit. Use a new one.');
  }

  async #ask<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      if (isConnectionFailure(error)) throw ledgerUnavailable('the database is away', error);
      throw error;
    }
  }
}

const isKnown = (fund: AccountFund): fund is AccountFund & Means => fund.spendableNanoUsd !== null;
