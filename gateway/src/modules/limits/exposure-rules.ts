// The arithmetic of unpaid cost, without a clock or a store: how much a user may leave unpaid, how that recovers with
// time, how calls under way count, and how long a restriction lasts. Amounts are exact; time is in whole milliseconds.

import { DAY_MS, HOUR_MS } from '../../canonical/calendar.ts';
import { greaterOf, type NanoUsd } from '../../platform/money.ts';

export type ExposureRules = Readonly<{
  /** What every user may leave unpaid. */
  baseNanoUsd: NanoUsd;
  /** Added to it: this share of the balance, or of what was paid from it recently, whichever is more. */
  paidPercent: number;
  /** How long a whole allowance takes to recover. */
  recoveryMs: number;
  /** The length of the first restriction; that of later ones is fixed. */
  blockMs: number;
}>;

/** What is known of a user's unpaid cost, the same in memory and in the database. */
export type Standing = Readonly<{
  levelNanoUsd: NanoUsd;
  levelAtMs: number;
  restrictions: number;
  restrictedAtMs: number | null;
  /** Null with a time in `restrictedAtMs`: until an operator lifts the restriction. */
  restrictedUntilMs: number | null;
  restrictedReason: string | null;
  extraNanoUsd: NanoUsd;
}>;

export const CLEAN: Standing = {
  levelNanoUsd: 0n,
  levelAtMs: 0,
  restrictions: 0,
  restrictedAtMs: null,
  restrictedUntilMs: null,
  restrictedReason: null,
  extraNanoUsd: 0n,
};

/** After this time without a restriction the next one counts as the first. */
export const FORGIVEN_MS = 30 * DAY_MS;

/** One member must use up an allowance three times before the other members of an organization are affected. */
export const ORGANIZATION_FACTOR = 3n;

/** A call under way, or the sum of several. */
export type UnderWay = Readonly<{
  /** The most that the calls can cost us. */
  heldNanoUsd: NanoUsd;
  /** What the calls count for a user with a clean record, because most people let their calls finish. */
  leastNanoUsd: NanoUsd;
}>;

const OF_THE_CALLER: ReadonlySet<string> = new Set(['abandoned', 'oversize', 'exhausted']);
const OF_THE_UPSTREAM: ReadonlySet<string> = new Set(['interrupted', 'implausible']);

/**
 * A cost that the caller caused counts in full. One that the upstream caused counts little, because callers can seldom
 * bring it about.
 */
export function countedCost(costNanoUsd: NanoUsd, reason: string): NanoUsd {
  if (OF_THE_CALLER.has(reason)) return costNanoUsd;
  return OF_THE_UPSTREAM.has(reason) ? costNanoUsd / 10n : 0n;
}

export function allowanceOf(moneyNanoUsd: NanoUsd, extraNanoUsd: NanoUsd, rules: ExposureRules): NanoUsd {
  return rules.baseNanoUsd + (moneyNanoUsd * BigInt(rules.paidPercent)) / 100n + extraNanoUsd;
}

/** What is left of a level now: it recovers evenly, a whole allowance in the time of recovery. */
export function levelNow(standing: Standing, allowanceNanoUsd: NanoUsd, rules: ExposureRules, nowMs: number): NanoUsd {
  const passedMs = nowMs - standing.levelAtMs;
  if (standing.levelNanoUsd === 0n || passedMs <= 0) return standing.levelNanoUsd;
  const recovered = (allowanceNanoUsd * BigInt(passedMs)) / BigInt(rules.recoveryMs);
  return recovered >= standing.levelNanoUsd ? 0n : standing.levelNanoUsd - recovered;
}

export function isRestricted({ restrictedAtMs, restrictedUntilMs }: Standing, nowMs: number): boolean {
  if (restrictedAtMs === null) return false;
  return restrictedUntilMs === null || nowMs < restrictedUntilMs;
}

/** Whether an earlier restriction still makes the next one longer. */
export function isOnRecord(standing: Standing, nowMs: number): boolean {
  const { restrictions, restrictedUntilMs } = standing;
  return restrictions > 0 && (restrictedUntilMs === null || nowMs - restrictedUntilMs < FORGIVEN_MS);
}

type Addition = Readonly<{
  costNanoUsd: NanoUsd;
  reason: string;
  /** A call was refused for lack of room. */
  isRefused: boolean;
  allowanceNanoUsd: NanoUsd;
}>;

/** Whether a refused call lacked room because of unpaid cost, and not because of calls under way. */
export function isUsedUp(levelNanoUsd: NanoUsd, allowanceNanoUsd: NanoUsd): boolean {
  return levelNanoUsd * 2n >= allowanceNanoUsd;
}

/**
 * Adds unpaid cost. Beyond the allowance, or with no room left in it, the user is restricted, and the level begins
 * anew.
 */
export function withUnpaid(standing: Standing, added: Addition, rules: ExposureRules, nowMs: number): Standing {
  // A call that ends during a restriction began before it, so it belongs to the same cause.
  if (isRestricted(standing, nowMs)) return standing;
  const raised = withLevel(standing, added, rules, nowMs);
  const { isRefused, allowanceNanoUsd } = added;
  const isBeyond =
    raised.levelNanoUsd > allowanceNanoUsd || (isRefused && isUsedUp(raised.levelNanoUsd, allowanceNanoUsd));
  return isBeyond ? restricted(raised, added.reason, rules, nowMs) : raised;
}

/** The same for an organization as a whole, which is never restricted itself; only its people are. */
export function withLevel(
  standing: Standing,
  { costNanoUsd, allowanceNanoUsd }: Pick<Addition, 'costNanoUsd' | 'allowanceNanoUsd'>,
  rules: ExposureRules,
  nowMs: number,
): Standing {
  const levelNanoUsd = levelNow(standing, allowanceNanoUsd, rules, nowMs) + costNanoUsd;
  return { ...standing, levelNanoUsd, levelAtMs: nowMs };
}

/** How much of a user's unpaid cost counts for the organization: no more than the user's own allowance. */
export function sharedCost(standing: Standing, { costNanoUsd, allowanceNanoUsd }: Addition, nowMs: number): NanoUsd {
  if (isRestricted(standing, nowMs)) return 0n;
  return costNanoUsd < allowanceNanoUsd ? costNanoUsd : allowanceNanoUsd;
}

function restricted(standing: Standing, reason: string, rules: ExposureRules, nowMs: number): Standing {
  const restrictions = isOnRecord(standing, nowMs) ? standing.restrictions + 1 : 1;
  const lastsMs = [rules.blockMs, HOUR_MS, DAY_MS][restrictions - 1];
  return {
    ...standing,
    levelNanoUsd: 0n,
    levelAtMs: nowMs,
    restrictions,
    restrictedAtMs: nowMs,
    restrictedUntilMs: lastsMs === undefined ? null : nowMs + lastsMs,
    restrictedReason: reason,
  };
}

export type Load = Readonly<{
  levelNanoUsd: NanoUsd;
  underWay: UnderWay;
  allowanceNanoUsd: NanoUsd;
  isOnRecord: boolean;
}>;

/** How long a user with too much under way has to wait, because calls end all the time. */
const IN_FLIGHT_WAIT_MS = 2_000;

/** How long a call has to wait for room; 0 when it may begin. */
export function waitForRoom(load: Load, call: UnderWay, rules: ExposureRules): number {
  const { levelNanoUsd, underWay, allowanceNanoUsd } = load;
  const isAlone = underWay.heldNanoUsd === 0n;
  if (isAlone && !load.isOnRecord && levelNanoUsd * 2n <= allowanceNanoUsd) return 0;
  const missing = levelNanoUsd + weighed(call, load) - allowanceNanoUsd;
  if (missing <= 0n) return 0;
  return isAlone && allowanceNanoUsd > 0n
    ? Math.max(IN_FLIGHT_WAIT_MS, Number((missing * BigInt(rules.recoveryMs)) / allowanceNanoUsd))
    : IN_FLIGHT_WAIT_MS;
}

/** From a quarter of the allowance on, calls under way count in full, so that no burst goes far beyond the rest. */
const WHOLE_FROM = 4n;

/** The more of an allowance is used, the more a call under way counts, up to its full amount. */
function weighed(call: UnderWay, { levelNanoUsd, underWay, allowanceNanoUsd, isOnRecord }: Load): NanoUsd {
  const heldNanoUsd = underWay.heldNanoUsd + call.heldNanoUsd;
  const leastNanoUsd = underWay.leastNanoUsd + call.leastNanoUsd;
  const steepNanoUsd = levelNanoUsd * WHOLE_FROM;
  if (isOnRecord || steepNanoUsd >= allowanceNanoUsd) return heldNanoUsd;
  const shareNanoUsd = (heldNanoUsd * steepNanoUsd) / allowanceNanoUsd;
  return greaterOf(shareNanoUsd, leastNanoUsd);
}
