// The values inside structured data, for reviewers: texts, and numbers long enough to have a meaning by themselves. In
// JSON text the values are replaced one by one; everything else keeps its bytes.

import { isJsonObject } from '../canonical/json.ts';
import type { PassageOrigin, ReplacePart, TextVisitor } from '../canonical/passage.ts';

/** A card or account number may be sent as a number; shorter ones are counts and ids. */
const NUMBER_DIGITS_MIN = 8;
/** What stands between the texts of valid JSON. Anything else means that it is not JSON and is read as plain text. */
const STRUCTURE = /^[\s{}[\],:\d.eE+\-truefalsn]*$/;
const LONG_NUMBER = /-?\d[\d.]{7,}/g;
const NAME_END = /\s*:/y;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;

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
export function mapLeaves(value: unknown, replace: ReplacePart): unknown {
  if (typeof value === 'string') return replace(value);
  if (typeof value === 'number' || typeof value === 'bigint') return mapNumber(value, replace);
  if (Array.isArray(value)) return mapItems(value, mapLeaves, replace, 'user');
  if (!isJsonObject(value)) return value;
  let mapped: Record<string, unknown> | null = null;
  for (const name in value) {
    const changed = mapLeaves(value[name], replace);
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

/** The texts that describe tools and their parameters, one by one. */
export function mapDescriptions(value: unknown, visitor: TextVisitor): unknown {
  if (Array.isArray(value)) return mapItems(value, mapDescriptions, visitor, 'instructions');
  if (!isJsonObject(value)) return value;
  let mapped: Record<string, unknown> | null = null;
  for (const name in value) {
    const item = value[name];
    const changed =
      name === 'description' && typeof item === 'string' ? describe(item, visitor) : mapDescriptions(item, visitor);
    if (changed !== item) mapped = withMember(mapped ?? { ...value }, name, changed);
  }
  return mapped ?? value;
}

function describe(text: string, visitor: TextVisitor): string {
  visitor.begin('instructions');
  return visitor.replace(text);
}

/** `replace` sees the values as their reader will; text that is not JSON is seen whole. */
export function mapJsonText(text: string, replace: ReplacePart): string {
  const pieces = splitJson(text);
  if (pieces === null) return replace(text);
  return pieces.map(({ kind, raw }) => PIECE_MAPPERS[kind](raw, replace)).join('');
}

const PIECE_MAPPERS: Readonly<Record<Piece['kind'], (raw: string, replace: ReplacePart) => string>> = {
  name: (raw) => raw,
  text: mapTextPiece,
  structure: mapStructure,
};

function mapTextPiece(raw: string, replace: ReplacePart): string {
  const value = readText(raw);
  const changed = replace(value);
  return changed === value ? raw : JSON.stringify(changed);
}

function mapStructure(raw: string, replace: ReplacePart): string {
  return raw.replace(LONG_NUMBER, (digits) => {
    const changed = replace(digits);
    return changed === digits ? digits : JSON.stringify(changed);
  });
}

function readText(raw: string): string {
  if (!raw.includes('\\')) return raw.slice(1, -1);
  try {
    return String(JSON.parse(raw));
  } catch {
    // An escape that JSON does not have: its reader decides what it means, so it is judged as it stands.
    return raw.slice(1, -1);
  }
}

type Piece = Readonly<{ kind: 'name' | 'text' | 'structure'; raw: string }>;

/** Names, text values, and what stands between them. Null for text that is not JSON. */
function splitJson(text: string): readonly Piece[] | null {
  const pieces: Piece[] = [];
  let offset = 0;
  while (offset < text.length) {
    const quote = text.indexOf('"', offset);
    const start = quote === -1 ? text.length : quote;
    const structure = text.slice(offset, start);
    if (!STRUCTURE.test(structure)) return null;
    pieces.push({ kind: 'structure', raw: structure });
    if (quote === -1) break;
    offset = endOfText(text, start);
    if (offset === -1) return null;
    NAME_END.lastIndex = offset;
    pieces.push({ kind: NAME_END.test(text) ? 'name' : 'text', raw: text.slice(start, offset) });
  }
  return pieces;
}

/** The place after the closing quote; -1 when there is none. */
function endOfText(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index += 1;
    else if (code === QUOTE) return index + 1;
  }
  return -1;
}
