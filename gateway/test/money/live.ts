// Runs a life's steps on the real ledger and compares every outcome with the model: what may be refused and what must
// be, what is charged, and that no ending counts twice.

import { expect } from 'vitest';
import type { SpendCap } from '../../src/canonical/spend-cap.ts';
import { type Adjustments, createAdjustments } from '../../src/modules/ledger/adjustments.ts';
import { expireReservations } from '../../src/modules/ledger/store/reservations.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { isConnectionFailure } from '../../src/platform/db/connection-failure.ts';
import { sql } from '../../src/platform/db/database.ts';
import { newId } from '../../src/platform/ids.ts';
import type { LedgerBed, LedgerProcess } from '../ledger/fixture.ts';
import { recordOf, settled } from '../ledger/record.ts';
import { AMOUNT_MAX, type Step } from './life.ts';
import type { LifeModel, Open } from './life-model.ts';

/** Of every record, so that the roll-ups of one day have all of them. */
const RECORDED_MS = Date.parse('2028-02-28T12:00:00Z');
const HOUR_MS = 3_600_000;
const REFUSALS = /^(http_429|spend_limit|budget_cap|insufficient|credit_limit)/;
/**
 * Processes lend each other unused money by notices, which come late when hundreds of lives run at once: a call that
 * fits must pass in the end, not at once.
 */
const TRIES = 400;
const PAUSE_MS = 60;

const makeDue = sql('test_make_due', "update reservations set expires_at = now() - interval '1 hour' where id = $1");

export type World = Readonly<{ bed: LedgerBed; processes: readonly LedgerProcess[] }>;

/** Of the union, the members whose verb can be this one. */
type Part<Verb extends Step['verb']> = Step extends infer One
  ? One extends { verb: infer Own }
    ? Verb & Own extends never
      ? never
      : One
    : never
  : never;

const pause = () => new Promise((resolve) => setTimeout(resolve, PAUSE_MS));

const capsOf = (model: LifeModel, mask: number): SpendCap[] =>
  model.caps.filter((_, index) => (mask & (1 << index)) !== 0);

/** A busy machine may have no free connection in time; nothing has happened then, and the step is tried again. */
export async function insist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      const isBusy = isConnectionFailure(error) || (error as Refusal).code === 'http_503';
      if (!isBusy || attempt === TRIES) throw error;
    }
    await pause();
  }
}

type Refusal = Readonly<{ code: string; detail?: string }>;

/**
 * Null when it was admitted, else why not. Only a refusal or a request to come back may be the alternative; everything
 * else is a failure.
 */
async function refusalOf(admit: () => Promise<void>, mustPass: boolean): Promise<Refusal | null> {
  const refusals: Refusal[] = [];
  while (refusals.length < TRIES) {
    try {
      await admit();
      return null;
    } catch (error) {
      const refusal = error as Refusal;
      refusals.push(refusal);
      const isBusy = refusal.code === 'http_503';
      if (!isBusy) expect(error).toMatchObject({ code: expect.stringMatching(REFUSALS) });
      if (!isBusy && !mustPass) return refusal;
    }
    await pause();
  }
  const last = refusals.at(-1) as Refusal;
  expect(last, last.detail).not.toMatchObject({ code: 'http_503' });
  return last;
}

async function reserve(world: World, model: LifeModel, step: Part<'reserve' | 'hold'>, isAlone: boolean) {
  const process = world.processes[step.side] as LedgerProcess;
  const { ledger } = process;
  const { amount: amountNanoUsd } = step;
  const caps = capsOf(model, step.mask);
  const isDurable = step.verb === 'hold';
  const windows = model.countedUnder(caps, amountNanoUsd);
  const verdicts = caps.map((cap) => model.judge(ledger, { cap, amountNanoUsd }));
  const isLarge = isDurable && caps.some((cap) => cap.kind === 'cap' && cap.limitNanoUsd < amountNanoUsd);
  const mayRefuse = verdicts.some(({ may }) => may) || amountNanoUsd > model.freeNanoUsd || isLarge;
  const mustRefuse = verdicts.some(({ must }) => must) || amountNanoUsd > model.freeNanoUsd || isLarge;
  const { accountId } = model;
  const id = newId('gen');
  const refusal = await refusalOf(async () => {
    if (isDurable) {
      const expiresAtMs = Date.now() + HOUR_MS;
      await ledger.reserveDurable({ id, accountId, userId: 'usr-1', keyId: 'key-1', caps, amountNanoUsd, expiresAtMs });
      model.open.push({ id, ledger: null, reservation: null, heldNanoUsd: () => amountNanoUsd, windows });
      return;
    }
    const reservation = await ledger.reserve(accountId, id, amountNanoUsd, caps);
    model.open.push({ id, ledger, reservation, heldNanoUsd: () => reservation.amountNanoUsd(), windows });
  }, isAlone && !mayRefuse);
  if (!isAlone) return;
  if (refusal === null) expect(mustRefuse, 'was admitted').toBe(false);
  else expect(mayRefuse, `was refused: ${refusal.code}, ${refusal.detail}`).toBe(true);
}

async function settle(model: LifeModel, pick: number, costNanoUsd: bigint): Promise<void> {
  const open = model.take(pick, false);
  if (open?.ledger == null || open.reservation === null) return;
  const heldNanoUsd = open.heldNanoUsd();
  const record = recordOf(open.reservation, costNanoUsd, { createdAtMs: RECORDED_MS });
  const { chargedNanoUsd, absorbedNanoUsd } = await settled(open.ledger, open.reservation, record);
  expect(chargedNanoUsd + absorbedNanoUsd).toBe(costNanoUsd);
  expect(chargedNanoUsd).toBeGreaterThanOrEqual(costNanoUsd < heldNanoUsd ? costNanoUsd : heldNanoUsd);
  model.charge(open, chargedNanoUsd);
  // A reservation ends exactly once, whatever is tried.
  const { ledger, reservation } = open;
  await expect(settled(ledger, reservation, record)).rejects.toThrow('exactly once');
}

async function extend(model: LifeModel, { pick, amount }: Part<'extend' | 'settle'>): Promise<void> {
  const open = model.take(pick, false);
  if (open?.ledger == null || open.reservation === null) return;
  const before = open.heldNanoUsd();
  // A lease that comes too late on a busy machine extends nothing.
  const isHeld = await Promise.resolve(open.ledger.extend(open.reservation, amount)).catch((error: Refusal) => {
    expect(error).toMatchObject({ code: 'http_503' });
    return false;
  });
  expect(open.heldNanoUsd()).toBe(isHeld ? before + amount : before);
  model.open.push(open);
}

function release(model: LifeModel, pick: number): void {
  const open = model.take(pick, false);
  if (open?.ledger != null && open.reservation !== null) open.ledger.release(open.reservation, null);
}

const recordFor = (model: LifeModel, id: string, costNanoUsd: bigint) =>
  recordOf({ generationId: id, accountId: model.accountId }, costNanoUsd, { createdAtMs: RECORDED_MS });

async function settleHold(world: World, model: LifeModel, { side, pick, amount }: Part<'settleHold'>): Promise<void> {
  const open = model.take(pick, true);
  if (open === undefined) return;
  const { ledger } = world.processes[side] as LedgerProcess;
  const chargedNanoUsd = amount < open.heldNanoUsd() ? amount : open.heldNanoUsd();
  const absorbedNanoUsd = amount - chargedNanoUsd;
  expect(await insist(() => ledger.settleDurable(open.id, recordFor(model, open.id, amount)))).toEqual({
    chargedNanoUsd,
    absorbedNanoUsd,
  });
  model.charge(open, chargedNanoUsd);
  model.ended.push({ id: open.id, verb: 'settled', chargedNanoUsd });
}

async function giveBackHold(world: World, model: LifeModel, step: Part<'releaseHold' | 'expireHold'>): Promise<void> {
  const open = model.take(step.pick, true);
  if (open === undefined) return;
  const { ledger, database } = world.processes[step.side] as LedgerProcess;
  if (step.verb === 'releaseHold') {
    expect(await insist(() => ledger.releaseDurable(open.id, 'test'))).toBe(true);
    model.ended.push({ id: open.id, verb: 'released', chargedNanoUsd: 0n });
    return;
  }
  await insist(() => database.query(makeDue, [open.id]));
  await insist(() => expireReservations(database));
  // The sweep of the other process may be ending the same one at this moment.
  await expect.poll(async () => (await insist(() => ledger.durable(open.id)))?.state).toBe('expired');
  model.ended.push({ id: open.id, verb: 'expired', chargedNanoUsd: 0n });
}

/** An ending stays, and a repetition gets the same answer. */
async function endAgain(world: World, model: LifeModel, { side, pick }: Part<'endAgain'>): Promise<void> {
  const ended = model.ended[pick % Math.max(1, model.ended.length)];
  if (ended === undefined) return;
  const { ledger } = world.processes[side] as LedgerProcess;
  const { chargedNanoUsd } = ended;
  expect(await insist(() => ledger.releaseDurable(ended.id, 'again'))).toBe(false);
  const settlement = await insist(() => ledger.settleDurable(ended.id, recordFor(model, ended.id, chargedNanoUsd)));
  expect(settlement).toEqual(ended.verb === 'settled' ? { chargedNanoUsd, absorbedNanoUsd: 0n } : null);
}

async function topUp(world: World, model: LifeModel, step: Part<'topUp' | 'topUpAgain'>): Promise<void> {
  const { ledger } = world.processes[step.side] as LedgerProcess;
  const { accountId } = model;
  const earlier = step.verb === 'topUpAgain' ? model.topUps[0] : undefined;
  if (earlier !== undefined) {
    await insist(() => ledger.credit({ accountId, note: '', ...earlier }));
    const other = { ...earlier, amountNanoUsd: earlier.amountNanoUsd + 1n };
    const refused = insist(() => ledger.credit({ accountId, note: '', ...other }));
    await expect(refused).rejects.toMatchObject({ code: 'http_409' });
    return;
  }
  const fresh = { reference: newId('txn'), amountNanoUsd: step.amount };
  await insist(() => ledger.credit({ accountId, note: '', ...fresh }));
  model.creditedNanoUsd += step.amount;
  model.topUps.push(fresh);
}

const adjustmentsOf = ({ database, notices }: LedgerProcess): Adjustments =>
  createAdjustments({ database, notices, clock: systemClock });

/** Taking back is refused below zero and below what is held; an amount that fits must pass in the end. */
async function adjust(world: World, model: LifeModel, step: Part<'give' | 'takeBack'>, isAlone: boolean) {
  const { side, amount } = step;
  if (amount === 0n) return;
  const { accountId } = model;
  const amountNanoUsd = step.verb === 'give' ? amount : -amount;
  const isFit = [model.balanceNanoUsd, model.creditedNanoUsd, model.freeNanoUsd].every((most) => most >= amount);
  const order = { accountId, amountNanoUsd, reason: 'test', reference: newId('txn'), mayGoBelowZero: false };
  const adjustments = adjustmentsOf(world.processes[side] as LedgerProcess);
  for (let tries = 1; ; tries += 1) {
    const error = await insist(() => adjustments.adjust(order)).then(
      () => null,
      (refusal: Refusal) => refusal,
    );
    if (error === null) break;
    expect(error).toMatchObject({ code: 'http_409' });
    const mustPass = isAlone && (isFit || amountNanoUsd > 0n);
    if (!mustPass) return;
    expect(tries, 'what fits is not taken').toBeLessThan(TRIES);
  }
  if (isAlone && amountNanoUsd < 0n) expect(isFit, 'was taken').toBe(true);
  model.creditedNanoUsd += amountNanoUsd;
  await insist(() => adjustments.adjust(order));
  const other = insist(() => adjustments.adjust({ ...order, amountNanoUsd: amountNanoUsd + 100n }));
  await expect(other).rejects.toMatchObject({ code: 'http_409' });
}

/** Once, however often. */
async function refundCall(world: World, model: LifeModel, { side, pick }: Part<'refundCall'>): Promise<void> {
  const charge = model.charged[pick % Math.max(1, model.charged.length)];
  if (charge === undefined) return;
  const { refund } = adjustmentsOf(world.processes[side] as LedgerProcess);
  if (!charge.isRefunded) model.refundedNanoUsd += charge.chargedNanoUsd;
  charge.isRefunded = true;
  const first = await insist(() => refund(charge.id, 'test'));
  const again = await insist(() => refund(charge.id, 'test'));
  expect(again.entryId).toBe(first.entryId);
  expect(first).toMatchObject({ accountId: model.accountId, refundedNanoUsd: charge.chargedNanoUsd });
}

export async function take(world: World, model: LifeModel, step: Step, isAlone: boolean): Promise<void> {
  switch (step.verb) {
    case 'reserve':
    case 'hold':
      return reserve(world, model, step, isAlone);
    case 'settle':
      return settle(model, step.pick, step.amount);
    case 'refund':
      return settle(model, step.pick, 0n);
    case 'extend':
      return extend(model, step);
    case 'release':
      return release(model, step.pick);
    case 'settleHold':
      return settleHold(world, model, step);
    case 'releaseHold':
    case 'expireHold':
      return giveBackHold(world, model, step);
    case 'endAgain':
      return endAgain(world, model, step);
    case 'topUp':
    case 'topUpAgain':
      return topUp(world, model, step);
    case 'give':
    case 'takeBack':
      return adjust(world, model, step, isAlone);
    case 'refundCall':
      return refundCall(world, model, step);
    case 'limit':
      model.caps = model.caps.map((cap, index) => (index === step.cap ? { ...cap, limitNanoUsd: step.amount } : cap));
  }
}

export function expectSound(model: LifeModel): void {
  expect(model.freeNanoUsd, 'what nobody holds').toBeGreaterThanOrEqual(0n);
  for (const window of model.windows.values()) {
    if (window.cap.kind === 'breaker') continue;
    expect(window.firmSpent + model.held(window, true)).toBeLessThanOrEqual(window.limitMax);
    // Only those that are larger than the whole cap can exceed it, one at a time.
    expect(window.spent).toBeLessThanOrEqual(window.limitMax + AMOUNT_MAX);
  }
}

/** Everything is returned, and then all that is left can be held in one piece. */
export async function endLife(world: World, model: LifeModel): Promise<void> {
  const { ledger } = world.processes[0] as LedgerProcess;
  const open: Open[] = model.open.splice(0);
  for (const each of open) {
    if (each.ledger === null) await insist(() => ledger.releaseDurable(each.id, 'end'));
    else if (each.reservation !== null) each.ledger.release(each.reservation, null);
  }
  const { freeNanoUsd, accountId } = model;
  const all = async (): Promise<void> => {
    ledger.release(await ledger.reserve(accountId, newId('gen'), freeNanoUsd), null);
  };
  expect(await refusalOf(all, true), 'all that is left can be held').toBeNull();
}
