// A usage record in the client's own format, with the upstream's further counts. Our figures win, and what the upstream
// says of money is left out: it is what we pay, and not what the caller pays.

import { isJsonObject, type JsonObject, objectOrEmpty } from '../canonical/json.ts';

const MONEY = /cost|byok|billed|price/;

/** `upstream` is the record as it came; anything but an object adds nothing. */
export function keepUsageMembers(ours: JsonObject, upstream: unknown): JsonObject {
  if (!isJsonObject(upstream) || !addsMember(ours, upstream)) return ours;
  const merged: JsonObject = {};
  for (const name in upstream) {
    const value = upstream[name];
    if (!MONEY.test(name) && value !== null && !Object.hasOwn(ours, name)) merged[name] = value;
  }
  for (const name in ours) {
    const value = ours[name];
    merged[name] = isJsonObject(value) ? { ...countsIn(upstream[name]), ...value } : value;
  }
  return merged;
}

/** The same record where it says nothing of money. */
export function withoutMoney(upstream: JsonObject): JsonObject {
  const entries = Object.entries(upstream);
  const kept = entries.filter(([name]) => !MONEY.test(name));
  return kept.length === entries.length ? upstream : Object.fromEntries(kept);
}

/** Most records have nothing that ours lacks. */
function addsMember(ours: JsonObject, upstream: JsonObject): boolean {
  for (const name in upstream) {
    if (!Object.hasOwn(ours, name)) return true;
    const details = ours[name];
    if (!isJsonObject(details)) continue;
    const stated = upstream[name];
    for (const count in objectOrEmpty(stated)) if (!Object.hasOwn(details, count)) return true;
  }
  return false;
}

/** Values that are not counts, and zero counts, are left out. */
function countsIn(details: unknown): JsonObject {
  const counts: JsonObject = {};
  if (!isJsonObject(details)) return counts;
  for (const name in details) {
    const value = details[name];
    if (Number.isSafeInteger(value) && Number(value) > 0) counts[name] = value;
  }
  return counts;
}
