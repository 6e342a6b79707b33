// The quota as one process counts it. What a user had used of the day before this process first saw it is read from the
// database once; from then on memory decides, without I/O. Addresses are counted in memory alone.

import type { FreeWindow } from '../../canonical/free-share.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { dayStartMs, FreeCounter, secondsLeft, type Windows, windowsAt } from './free-counter.ts';
import type { FreeDecision, FreeGrant, FreeQuota, FreeTake } from './free-quota.ts';
import { forgetFreeUsage, readFreeUsage } from './store.ts';

/** Whoever has been idle longest is forgotten first, and read again when it comes back. */
const USERS_MAX = 100_000;
const ADDRESSES_MAX = 250_000;
/** A day that is over is only kept for clocks that are behind. */
const KEPT_MS = 86_400_000;
const RETRY_AFTER_SECONDS = 2;

export type ProcessQuotaOptions = Readonly<{ database: Database; clock: Clock; logger: Logger }>;

type CountersByModel = Map<string, FreeCounter>;

export function createProcessQuota({ database, clock, logger }: ProcessQuotaOptions): FreeQuota {
  const users = new Map<string, CountersByModel>();
  const addresses = new Map<string, FreeCounter>();
  const readings = new Map<string, Promise<void>>();
  let today = -1;

  /** A day's counters are worth nothing on the next one, here and in the database. */
  const turnDay = (at: Windows): void => {
    if (at.day === today) return;
    today = at.day;
    users.clear();
    addresses.clear();
    forgetFreeUsage(database, dayStartMs(today) - KEPT_MS).catch((error: unknown) => {
      logger.warn({ error: error instanceof Error ? error : undefined }, 'past days of free quotas were not removed');
    });
  };

  const read = (userId: string, at: Windows): Promise<void> => {
    const known = readings.get(userId);
    if (known !== undefined) return known;
    const reading = readUser(database, userId, at)
      .then((counters) => {
        if (at.day === today) keep(users, userId, counters, USERS_MAX);
      })
      .finally(() => readings.delete(userId));
    readings.set(userId, reading);
    return reading;
  };

  const take = (request: FreeTake): FreeDecision | Promise<FreeDecision> => {
    const nowMs = clock.nowMs();
    const at = windowsAt(nowMs);
    turnDay(at);
    const { userId, address } = request;
    const counters = users.get(userId);
    // The day may turn while it is read; then it is read again.
    if (counters === undefined) return read(userId, at).then(() => take(request));
    keep(users, userId, counters, USERS_MAX);
    let ofAddress: FreeCounter | null = null;
    if (address !== null) {
      ofAddress = addresses.get(address.name) ?? new FreeCounter(at);
      const lacking = ofAddress.lacking(address, request.units, at);
      if (lacking !== null) return { outcome: 'refused', by: 'address', ...turnOf(lacking, nowMs), passedOver: [] };
      keep(addresses, address.name, ofAddress, ADDRESSES_MAX);
    }
    const decision = takeOfFirst(request, counters, nowMs);
    if (decision.outcome === 'granted') ofAddress?.add(request.units, at);
    return decision;
  };

  return {
    take,
    giveBack(grant) {
      users.get(grant.userId)?.get(grant.modelId)?.giveBack(grant.units, grant);
      if (grant.addressName !== null) addresses.get(grant.addressName)?.giveBack(grant.units, grant);
    },
  };
}

function takeOfFirst(request: FreeTake, counters: CountersByModel, nowMs: number): FreeDecision {
  const at = windowsAt(nowMs);
  const { userId, units, models, address } = request;
  const passedOver: FreeWindow[] = [];
  for (const model of models) {
    const { modelId } = model;
    const counter = counters.get(modelId) ?? new FreeCounter(at);
    const lacking = counter.lacking(model, units, at);
    if (lacking === null) {
      counter.add(units, at);
      counters.set(modelId, counter);
      const grant: FreeGrant = { userId, modelId, addressName: address?.name ?? null, units, ...at };
      return { outcome: 'granted', grant, passedOver };
    }
    passedOver.push(lacking);
  }
  return { outcome: 'refused', by: 'model', ...turnOf(passedOver[0] ?? 'daily', nowMs), passedOver };
}

const turnOf = (window: FreeWindow, nowMs: number) => ({ window, retryAfterSeconds: secondsLeft(window, nowMs) });

async function readUser(database: Database, userId: string, at: Windows): Promise<CountersByModel> {
  try {
    const rows = await readFreeUsage(database, userId, dayStartMs(at.day));
    return new Map(rows.map(({ modelId, units }) => [modelId, new FreeCounter(at, Number(units))]));
  } catch (error) {
    throw new ApiError('http_503', 'The free quota cannot be checked at the moment. Try again shortly.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      detail: 'the use of free quotas could not be read',
      cause: error,
    });
  }
}

/** Moves the entry to the end, so that the first one is the one that has been idle longest. */
function keep<Value>(entries: Map<string, Value>, name: string, value: Value, sizeMax: number): void {
  entries.delete(name);
  entries.set(name, value);
  if (entries.size <= sizeMax) return;
  for (const oldest of entries.keys()) {
    entries.delete(oldest);
    return;
  }
}
