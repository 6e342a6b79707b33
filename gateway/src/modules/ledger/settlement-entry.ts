// A finished call on its way to the database, and its form in the journal file: JSON, enough to write the call without
// the process that made it. Most calls are only added to the database and never take that form.

import type { AttemptEntry, AutoDecision, GenerationRecord, ReviewEntry } from '../../canonical/generation.ts';
import type { Units } from '../../canonical/usage.ts';
import { assert } from '../../platform/assert.ts';
import { lesserOf, type NanoUsd } from '../../platform/money.ts';
import { type AccountFund, type CapFund, knownCounter } from './fund.ts';
import type { Settlement } from './ledger.ts';
import type { PriceSnapshot } from './price-usage.ts';
import type { Slice } from './slice.ts';
import type { SettlementRow } from './store/settlements.ts';

export type Charged = Readonly<{
  chargedNanoUsd: NanoUsd;
  /** The charge was there already, so writing it again has moved nothing. */
  isStanding?: boolean;
  /** The database would not take the entry, so nothing was charged. */
  isBuried?: boolean;
}>;

/** What the journal keeps of a settlement: enough to write it without the process that made it. */
export type SettlementEntry = Readonly<{ row: SettlementRow; priceList: PriceSnapshot | null }>;

/** The part of a charge that was held under a cap. A breaker may hold less of it than there is. */
type CapPart = Readonly<{ slice: Slice<CapFund>; partNanoUsd: NanoUsd }>;

type SettlementCharge = Readonly<{
  chargeNanoUsd: NanoUsd;
  priceList: PriceSnapshot | null;
  caps: readonly CapPart[];
  /** The team that the call was made in. */
  teamId?: string | null;
}>;

export type FinishedCall = SettlementCharge & Readonly<{ record: GenerationRecord }>;

/** The counters that a charge is added to, and what of it comes out of this process's slice of each. */
function counterColumns(charge: SettlementCharge): Pick<SettlementRow, 'counter_ids' | 'counter_parts'> {
  if (charge.caps.length === 0 || charge.chargeNanoUsd === 0n) return {};
  return {
    counter_ids: charge.caps.map(({ slice }) => knownCounter(slice.fund)),
    counter_parts: charge.caps.map(({ slice, partNanoUsd }) => (slice.isVoid ? '0' : partNanoUsd.toString())),
  };
}

export const attemptLog = (log: readonly AttemptEntry[]): NonNullable<SettlementRow['attempt_log']> =>
  log.map(({ provider, upstreamModel, outcome, status, durationMs }) => ({
    provider: storableText(provider),
    upstream_model: storableText(upstreamModel),
    outcome,
    status: storableInteger(status),
    duration_ms: storableInteger(durationMs),
  }));

const attemptColumns = (log: readonly AttemptEntry[] | null): Pick<SettlementRow, 'attempt_log'> =>
  log === null ? {} : { attempt_log: attemptLog(log) };

const teamColumns = (teamId: string | null): Pick<SettlementRow, 'team_id'> =>
  teamId === null ? {} : { team_id: teamId };

const freeColumns = (units: number | undefined): Pick<SettlementRow, 'free_units'> =>
  units === undefined || units === 0 ? {} : { free_units: storableInteger(units) };

const markupColumns = (markupNanoUsd: NanoUsd): Pick<SettlementRow, 'markup'> =>
  markupNanoUsd === 0n ? {} : { markup: markupNanoUsd.toString() };

export function autoDecision(decision: AutoDecision): NonNullable<SettlementRow['auto_decision']> {
  const { table, tier, promotedFrom, confidence, signals } = decision;
  return { table, tier, promoted_from: promotedFrom, confidence, signals };
}

const autoColumns = (decision: AutoDecision | null): Pick<SettlementRow, 'auto_decision'> =>
  decision === null ? {} : { auto_decision: autoDecision(decision) };

export const reviewLog = (reviews: readonly ReviewEntry[]): NonNullable<SettlementRow['reviews']> =>
  reviews.map(({ name, reason, ...rest }) => ({
    ...rest,
    name: storableText(name),
    reason: reason === null ? null : storableText(reason),
  }));

const reviewColumns = (reviews: readonly ReviewEntry[] | null): Pick<SettlementRow, 'reviews'> =>
  reviews === null ? {} : { reviews: reviewLog(reviews) };

/** Null when nothing was used that is counted in units other than tokens. */
export function countedUnits(units: Units | undefined): SettlementRow['units'] | null {
  const counted = Object.entries(units ?? {}).filter(([, quantity]) => storableCount(quantity) > 0);
  return counted.length === 0 ? null : Object.fromEntries(counted);
}

function unitColumns(units: Units | undefined): Pick<SettlementRow, 'units'> {
  const counted = countedUnits(units);
  return counted === null || counted === undefined ? {} : { units: counted };
}

export function settlementEntry(record: GenerationRecord, charge: SettlementCharge): SettlementEntry {
  const { usage } = record;
  const { priceList } = charge;
  const row: SettlementRow = {
    id: record.id,
    account_id: record.accountId,
    user_id: record.userId,
    key_id: record.keyId,
    operation: record.operation,
    model_id: storableText(record.modelId),
    provider_name: storableText(record.providerName),
    upstream_model: storableText(record.upstreamModel),
    app_name: storableTextOrNull(record.appName),
    finish_reason: storableTextOrNull(record.finishReason),
    upstream_status: storableInteger(record.upstreamStatus),
    is_stream: record.isStream,
    is_failover: record.isFailover,
    created_at_ms: Math.round(record.createdAtMs),
    duration_ms: storableInteger(record.durationMs),
    first_token_ms: record.firstTokenMs === null ? null : storableInteger(record.firstTokenMs),
    prompt_tokens: storableCount(usage.promptTokens),
    completion_tokens: storableCount(usage.completionTokens),
    cached_tokens: storableCount(usage.cachedTokens),
    cache_write_tokens: storableCount(usage.cacheWriteTokens),
    reasoning_tokens: storableCount(usage.reasoningTokens),
    prompt_audio_tokens: storableCount(usage.promptAudioTokens),
    completion_image_tokens: storableCount(usage.completionImageTokens),
    subtotal: record.subtotalNanoUsd.toString(),
    cache_discount: record.cacheDiscountNanoUsd.toString(),
    cost: record.costNanoUsd.toString(),
    charge: charge.chargeNanoUsd.toString(),
    absorbed: record.absorbedNanoUsd.toString(),
    absorbed_reason: record.absorbedReason,
    attempts: storableInteger(record.attempts),
    price_list_id: priceList?.id ?? null,
    ...teamColumns(charge.teamId ?? null),
    ...freeColumns(record.freeUnits),
    ...markupColumns(record.markupNanoUsd),
    ...counterColumns(charge),
    ...attemptColumns(record.attemptLog),
    ...autoColumns(record.autoDecision),
    ...reviewColumns(record.reviews ?? null),
    ...unitColumns(usage.units),
  };
  return { row, priceList };
}

// Makes numbers and texts from upstreams and clients storable: a row that the database refuses would be a charge that
// is never made.

const INTEGER_MAX = 2_147_483_647;
const TEXT_LENGTH_MAX = 512;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the database's text type has no place for NUL.
const UNSTORABLE = /\u0000|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

export function storableText(text: string): string {
  const short = text.length > TEXT_LENGTH_MAX ? text.slice(0, TEXT_LENGTH_MAX) : text;
  return short.replace(UNSTORABLE, '\ufffd');
}

const storableTextOrNull = (text: string | null): string | null => (text === null ? null : storableText(text));

export function storableInteger(value: number): number {
  if (!Number.isFinite(value) || value <= 0) return 0;
  return Math.min(Math.round(value), INTEGER_MAX);
}

/** Token counts have been validated before; a wrong one must not prevent the charge. */
export const storableCount = (value: number): number => (Number.isSafeInteger(value) && value > 0 ? value : 0);

// A settlement from the end of its call to its fold. It becomes safe (in the database or in the journal) once, and then
// the caller may be told. The held amounts leave the slices when it is folded, because until then the slices' rows
// still include them.

type OnSettled = (settlement: Settlement) => void;

type Phase = 'open' | 'appended' | 'ended';

export class PendingSettlement implements FinishedCall {
  readonly record: GenerationRecord;
  readonly chargeNanoUsd: NanoUsd;
  readonly priceList: PriceSnapshot | null;
  readonly caps: readonly CapPart[];
  readonly teamId: string | null;
  readonly account: Slice<AccountFund>;
  /** Null after it was called: a settlement that waits for its fold must not keep the whole call in memory. */
  #done: OnSettled | null;
  #phase: Phase = 'open';

  constructor(call: FinishedCall, account: Slice<AccountFund>, done: OnSettled) {
    this.record = call.record;
    this.chargeNanoUsd = call.chargeNanoUsd;
    this.priceList = call.priceList;
    this.caps = call.caps;
    this.teamId = call.teamId ?? null;
    this.account = account;
    this.#done = done;
  }

  get isSafe(): boolean {
    return this.#done === null;
  }

  /**
   * This process's slices carry the whole charge. Where they are gone, only the account's row tells what it can carry.
   */
  get isBacked(): boolean {
    if (!this.isAccountBacked) return false;
    for (const { slice } of this.caps) if (slice.isVoid) return false;
    return true;
  }

  get isAccountBacked(): boolean {
    return !this.account.isVoid;
  }

  get isUnfolded(): boolean {
    return this.#phase === 'appended';
  }

  /** The journal has the settlement: it will be charged, and the caller need not wait for the database. */
  safe(chargedNanoUsd: NanoUsd): void {
    const done = this.#done;
    if (done === null) return;
    this.#done = null;
    done({ chargedNanoUsd, absorbedNanoUsd: this.record.costNanoUsd - chargedNanoUsd });
  }

  /** The database has the settlement; the balance will include it after the fold. */
  appended(): void {
    this.#append();
    this.#spend(this.chargeNanoUsd);
    this.safe(this.chargeNanoUsd);
  }

  /** The database has taken the settlement and folded it; or it had it before, and may still have to fold it. */
  committed(charged: Charged): void {
    const { chargedNanoUsd } = charged;
    if (charged.isStanding) {
      this.#append();
      this.account.isUncertain = true;
      for (const { slice } of this.caps) slice.isUncertain = true;
      this.safe(chargedNanoUsd);
      return;
    }
    this.#leaveOpen('ended');
    for (const { slice, partNanoUsd } of this.caps) endPart(slice, partNanoUsd, chargedNanoUsd);
    const slice = this.account;
    endPart(slice, this.chargeNanoUsd, chargedNanoUsd);
    this.#spend(chargedNanoUsd);
    if (chargedNanoUsd < this.chargeNanoUsd && !charged.isBuried) {
      // The row held less than was known here, so what looks free is not used.
      slice.surrender();
      slice.isUncertain = true;
    }
    this.safe(chargedNanoUsd);
  }

  #append(): void {
    this.#leaveOpen('appended');
    this.account.append(this.chargeNanoUsd);
    this.account.close();
    for (const { slice, partNanoUsd } of this.caps) {
      slice.append(partNanoUsd);
      slice.close();
    }
  }

  #spend(chargedNanoUsd: NanoUsd): void {
    const { fund } = this.account;
    if (fund.spendableNanoUsd !== null) fund.spendableNanoUsd -= chargedNanoUsd;
  }

  #leaveOpen(phase: Phase): void {
    assert(this.#phase === 'open', 'a settlement is committed once');
    this.#phase = phase;
  }
}

function endPart(slice: Slice, partNanoUsd: NanoUsd, chargedNanoUsd: NanoUsd): void {
  slice.endSettling(partNanoUsd, lesserOf(chargedNanoUsd, partNanoUsd));
  slice.close();
}
