// The values inside structured data, for reviewers: texts, and numbers long enough to have a meaning by themselves. In
// JSON text the values are replaced one by one; everything else keeps its bytes.

import { isJsonObject } from '../canonical/json.ts';
import type { PassageOrigin, ReplacePart, TextVisitor } from '../canonical/passage.ts';

/** A card or account number may be sent as a number; shorter ones are counts and ids. */
const NUMBER_DIGITS_MIN = 8;
const OTHER_SPACE = /\s/;
const LONG_NUMBER = /-?\d[\d.]{7,}/g;
const NAME_END = /\s*:/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Names of members are gathered and read once each: calls of one tool repeat them. Null where nobody reads them. */
export type Names = Set<string> | null;

type MapItem<Visitor> = (item: unknown, visitor: Visitor, origin: PassageOrigin) => unknown;

/** The same list where nothing changes. */
export function mapItems<Visitor>(
  items: readonly unknown[],
  map: MapItem<Visitor>,
  visitor: Visitor,
  origin: PassageOrigin,
): readonly unknown[] {
  let mapped: unknown[] | null = null;
  for (let index = 0; index < items.length; index += 1) {
    const changed = map(items[index], visitor, origin);
    if (changed === items[index]) continue;
    mapped ??= [...items];
    mapped[index] = changed;
  }
  return mapped ?? items;
}

/** The same value where nothing changes. */
export function mapLeaves(value: unknown, replace: ReplacePart, names: Names = null): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value === 'number' || typeof value === 'bigint') return mapNumber(value, replace);
  if (Array.isArray(value)) return mapItems(value, (item) => mapLeaves(item, replace, names), replace, 'user');
  if (!isJsonObject(value)) return value;
  let mapped: Record<string, unknown> | null = null;
  for (const name in value) {
    names?.add(name);
    const changed = mapLeaves(value[name], replace, names);
    if (changed !== value[name]) mapped = withMember(mapped ?? { ...value }, name, changed);
  }
  return mapped ?? value;
}

/** A member of any name, even of one that every object inherits. */
function withMember(object: Record<string, unknown>, name: string, value: unknown): Record<string, unknown> {
  Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  return object;
}

function mapNumber(value: number | bigint, replace: ReplacePart): unknown {
  const text = String(value);
  if (text.length < NUMBER_DIGITS_MIN) return value;
  const changed = replace(text);
  return changed === text ? value : changed;
}

/** Members with a text that describes a tool, a parameter, or what its input must look like. */
const DESCRIBING: ReadonlySet<string> = new Set(['description', 'definition', 'title']);
/** Members with values that a parameter may have. */
const EXEMPLARY: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', 'input_examples']);

/** Members whose own members have names that somebody has chosen. */
const NAMING: ReadonlySet<string> = new Set(['properties', 'patternProperties', '$defs', 'definitions']);

/** The texts that describe tools and their parameters, one by one. */
export function mapDescriptions(value: unknown, visitor: TextVisitor & Readonly<{ names: Names }>): unknown {
  if (Array.isArray(value)) return mapItems(value, mapDescriptions, visitor, 'instructions');
  if (!isJsonObject(value)) return value;
  let mapped: Record<string, unknown> | null = null;
  for (const name in value) {
    const item = value[name];
    if (visitor.names !== null && NAMING.has(name)) gatherNames(item, visitor.names);
    const changed = EXEMPLARY.has(name)
      ? mapLeaves(item, (leaf) => describe(leaf, visitor), visitor.names)
      : typeof item === 'string' && DESCRIBING.has(name)
        ? describe(item, visitor)
        : mapDescriptions(item, visitor);
    if (changed !== item) mapped = withMember(mapped ?? { ...value }, name, changed);
  }
  return mapped ?? value;
}

function gatherNames(value: unknown, names: Set<string>): void {
  if (isJsonObject(value)) for (const name in value) names.add(name);
}

function describe(text: string, visitor: TextVisitor): string {
  visitor.begin('instructions');
  return visitor.replace(text);
}

/** `replace` sees the values as their reader will; text that is not JSON is seen whole. */
export function mapJsonText(text: string, replace: ReplacePart, names: Names = null): string {
  const quotes = quotesOf(text);
  return quotes === null ? replace(text) : new JsonTextMapper(text, replace, names).map(quotes);
}

/** Of an agent's conversation nearly everything stays, so the text is put together anew only from the first change on. */
class JsonTextMapper {
  readonly #text: string;
  readonly #replace: ReplacePart;
  readonly #names: Names;
  #mapped = '';
  /** Up to here the text is in `#mapped`. */
  #taken = 0;

  constructor(text: string, replace: ReplacePart, names: Names) {
    this.#text = text;
    this.#replace = replace;
    this.#names = names;
  }

  map(quotes: readonly number[]): string {
    let offset = 0;
    for (let index = 0; index < quotes.length; index += 2) {
      const quote = quotes[index] as number;
      const start = quote < 0 ? ~quote : quote;
      this.#mapNumbers(offset, start);
      offset = quotes[index + 1] as number;
      if (quote >= 0) this.#mapText(start, offset);
      else if (this.#names !== null) this.#names.add(readName(this.#text, start, offset));
    }
    this.#mapNumbers(offset, this.#text.length);
    return this.#taken === 0 ? this.#text : this.#mapped + this.#text.slice(this.#taken);
  }

  #mapText(start: number, end: number): void {
    const value = readText(this.#text.slice(start, end));
    const changed = this.#replace(value);
    if (changed !== value) this.#put(start, end, changed);
  }

  #mapNumbers(start: number, end: number): void {
    if (end - start < NUMBER_DIGITS_MIN) return;
    for (const { 0: digits, index } of this.#text.slice(start, end).matchAll(LONG_NUMBER)) {
      const changed = this.#replace(digits);
      if (changed !== digits) this.#put(start + index, start + index + digits.length, changed);
    }
  }

  #put(start: number, end: number, changed: string): void {
    this.#mapped += this.#text.slice(this.#taken, start) + JSON.stringify(changed);
    this.#taken = end;
  }
}

/** Nearly every name stands as it is. */
function readName(text: string, start: number, end: number): string {
  const name = text.slice(start + 1, end - 1);
  return name.includes('\\') ? readText(text.slice(start, end)) : name;
}

function readText(raw: string): string {
  if (!raw.includes('\\')) return raw.slice(1, -1);
  try {
    return String(JSON.parse(raw));
  } catch {
    // JSON has no such escape. What it means is up to the reader of the text, so the text is judged as it stands.
    return raw.slice(1, -1);
  }
}

/**
 * Where each text of valid JSON begins and ends, in turn, its quotes included; the beginning of a name is its complement
 * (`~`). Null for text that is not JSON.
 */
function quotesOf(text: string): readonly number[] | null {
  const quotes: number[] = [];
  let offset = 0;
  while (offset < text.length) {
    const code = text.charCodeAt(offset);
    if (code !== QUOTE) {
      if (!isStructure(code)) return null;
      offset += 1;
      continue;
    }
    const end = endOfText(text, offset);
    if (end === -1) return null;
    NAME_END.lastIndex = end;
    quotes.push(NAME_END.test(text) ? ~offset : offset, end);
    offset = end;
  }
  return quotes;
}

const STRUCTURE_CODES = new Uint8Array(128);
for (const letter of '{}[],:0123456789.eE+-truefalsn \t\n\v\f\r') STRUCTURE_CODES[letter.charCodeAt(0)] = 1;

/** What stands between the texts of valid JSON. Anything else means that it is not JSON and is read as plain text. */
const isStructure = (code: number): boolean =>
  code < 128 ? STRUCTURE_CODES[code] === 1 : OTHER_SPACE.test(String.fromCharCode(code));

/** The place after the closing quote; -1 when there is none. */
function endOfText(text: string, start: number): number {
  for (let quote = text.indexOf('"', start + 1); quote !== -1; quote = text.indexOf('"', quote + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote + 1;
  }
  return -1;
}
