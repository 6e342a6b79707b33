// How extras change prices: a call with extras is charged by a schedule of its own, made once for each set of extras
// that a schedule knows. Extras without a price are ignored, and are not sent.

import type { Extra, PriceList, PriceSchedule } from './price.ts';
import { NO_EXTRAS } from './request.ts';

const MILLION = 1_000_000n;

/** Everything that is counted. The price of a call and of a tool's use stays as it is. */
const MULTIPLIED = [
  'prompt',
  'completion',
  'cacheRead',
  'cacheWrite',
  'cacheWriteHour',
  'image',
  'videoSecond',
  'audioSecond',
  'character',
  'search',
] as const;

/**
 * Notes that are kept among the extras of a charge's list without being extras: the tier, and what multiplied the
 * completions.
 */
export const TIER_NOTE = 'prompt_tokens_above=';
export const MULTIPLIER_NOTE = 'completion_multiplier=';

const namesOfList = new WeakMap<PriceList, readonly string[]>();

/** The extras that a list includes, for the record of a charge. */
export const extrasOfList = (list: PriceList): readonly string[] => namesOfList.get(list) ?? NO_EXTRAS;

/** Gives a list that was made from another the same extras, and those added. */
export function keepExtras<List extends PriceList>(made: List, from: PriceList, ...more: readonly string[]): List {
  const names = [...extrasOfList(from), ...more];
  if (names.length > 0) namesOfList.set(made, names);
  return made;
}

/** Notes the tier of a list for the record of a charge. */
export function noteTier(list: PriceList, abovePromptTokens: number): void {
  const name = `${TIER_NOTE}${abovePromptTokens}`;
  const names = extrasOfList(list);
  if (!names.includes(name)) namesOfList.set(list, [...names, name]);
}

/** Of two values of one field the later counts. */
const fieldOf = (name: string): string => name.split('=')[0] ?? name;

type Derived = Map<string, PriceSchedule>;

const derivedFrom = new WeakMap<PriceSchedule, Derived>();
const originOf = new WeakMap<PriceSchedule, PriceSchedule>();

/** The schedule for a call with these extras, and with those that it includes already; itself where none is known. */
export function withExtras(schedule: PriceSchedule, asked: readonly string[]): PriceSchedule {
  if (asked.length === 0 || schedule.extras === undefined) return schedule;
  const { extras, applied = NO_EXTRAS } = schedule;
  const names = asked.filter((name) => extras.has(name) && !applied.includes(name));
  if (names.length === 0) return schedule;
  const origin = originOf.get(schedule) ?? schedule;
  const fields = new Set(names.map(fieldOf));
  const all = [...applied.filter((name) => !fields.has(fieldOf(name))), ...new Set(names)].sort();
  const derived: Derived = derivedFrom.get(origin) ?? new Map();
  derivedFrom.set(origin, derived);
  const key = all.join(' ');
  const known = derived.get(key);
  if (known !== undefined) return known;
  const made = derive(origin, all);
  derived.set(key, made);
  originOf.set(made, origin);
  return made;
}

function derive(origin: PriceSchedule, names: readonly string[]): PriceSchedule {
  const extras = names.flatMap((name) => origin.extras?.get(name) ?? []);
  const apply = (list: PriceList): PriceList => {
    const applied = applyAll(list, extras);
    namesOfList.set(applied, names);
    return applied;
  };
  return {
    ...origin,
    base: apply(origin.base),
    tiers: origin.tiers.map(({ abovePromptTokens, list }) => ({ abovePromptTokens, list: apply(list) })),
    applied: names,
    ...(origin.sold === undefined ? {} : { sold: { ...origin.sold, cost: derive(origin.sold.cost, names) } }),
  };
}

/** Replaced prices first, so that multiples apply to them. */
function applyAll(list: PriceList, extras: readonly Extra[]): PriceList {
  let prices: PriceList = { ...list };
  for (const extra of extras) if (extra.kind === 'prices') prices = { ...prices, ...extra.prices };
  for (const extra of extras) if (extra.kind === 'multiple') prices = multiple(prices, extra.millionths);
  return prices;
}

function multiple(list: PriceList, millionths: bigint): PriceList {
  const multiplied: Partial<Record<(typeof MULTIPLIED)[number], bigint>> = {};
  for (const name of MULTIPLIED) {
    const price = list[name];
    if (price !== null) multiplied[name] = (price * millionths + MILLION / 2n) / MILLION;
  }
  return { ...list, ...multiplied };
}
