// A stranger's JSON object together with its bytes, so that a changed copy is made by cutting and patching the bytes
// instead of writing it anew: members that are still the same values are sent as the bytes that came. The object must
// not be edited in place, or its changes are not seen.

import { isUtf8 } from 'node:buffer';
import { parseExactJson, stringifyExactJson } from './exact-json.ts';
import { NO_LIMITS, type ScannedJson, scanJson } from './json-scan.ts';
import { type BodyTexts, type KnownTexts, NO_TEXTS } from './known-texts.ts';

type Members = { [name: string]: unknown };

export type JsonDocument = Readonly<{
  json: Members;
  bytes: Buffer;
  /** As the scan gives them; null where another parser may read the bytes differently. */
  marks: readonly number[] | null;
  hasLargeIntegers: boolean;
  /** Its long texts, by their lengths. */
  longTexts: KnownTexts;
}>;

export function documentOf(
  json: Members,
  bytes: Buffer,
  { marks, hasLargeIntegers }: ScannedJson,
  texts: BodyTexts | null = null,
): JsonDocument {
  const areUtf8 = (): boolean => texts?.areUtf8(bytes) ?? isUtf8(bytes);
  const isFaithful = marks !== null && marks.length === memberCount(json) * 2 + 1 && areUtf8();
  const longTexts = texts?.byLength ?? NO_TEXTS;
  return { json, bytes, marks: isFaithful ? marks : null, hasLargeIntegers, longTexts };
}

/** Also zero where the object's order is not that of the text, as with keys that look like indexes. */
function memberCount(json: Members): number {
  const names = Object.keys(json);
  return names.length === 0 || INDEX.test(names[0] ?? '') ? 0 : names.length;
}

const INDEX = /^\d+$/;

/**
 * What is wrong with the keys. A repeated one: our parser takes the last and others the first, so such bytes must not
 * be passed on, or what was reviewed would not be what is read. And `__proto__`, which would become the prototype of an
 * object that it is merged into.
 */
export function keyFaultOf(value: unknown, { keyCount }: ScannedJson): 'repeated' | 'prototype' | null {
  const count = countKeys(value);
  if (count === HOLDS_PROTOTYPE) return 'prototype';
  return count === keyCount ? null : 'repeated';
}

/** As a count it stays the same whatever is added to it. */
const HOLDS_PROTOTYPE = Number.NEGATIVE_INFINITY;

function countKeys(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) count += countKeys(item);
    return count;
  }
  for (const name in value) {
    if (name === '__proto__') return HOLDS_PROTOTYPE;
    const member = (value as Members)[name];
    count += typeof member === 'object' ? 1 + countKeys(member) : 1;
  }
  return count;
}

/** A member as it was sent, its large integers as bigint. */
export function exactMember({ json, bytes, marks }: JsonDocument, name: string): unknown {
  const index = marks === null ? -1 : Object.keys(json).indexOf(name);
  if (marks === null || index === -1) return json[name];
  const value = bytes.subarray((marks[index * 2 + 1] ?? 0) + 1, marks[index * 2 + 2]);
  return parseExactJson(value, scanJson(value, NO_LIMITS).spans);
}

const NO_CHANGES: Members = {};

/**
 * The document's object as JSON, or an edited copy of it, with changes that need no copy. Members that are undefined
 * are left out.
 */
export function writeEdited(
  document: JsonDocument | null,
  edited: Members,
  changes: Members = NO_CHANGES,
): string | Buffer {
  if (document === null || document.marks === null) return writeAnew(edited, changes);
  return patch(document.bytes, document.marks, textsOf(document.json, edited, changes));
}

/** Copying more bytes than these costs more than sending them in several pieces. */
const COPIED_BYTES_MAX = 65_536;

/** The same in pieces where it is long, which are parts of the document's bytes and must not be changed. */
export function cutEdited(
  document: JsonDocument | null,
  edited: Members,
  changes: Members = NO_CHANGES,
): string | Buffer | readonly Buffer[] {
  if (document === null || document.marks === null) return writeAnew(edited, changes);
  const { bytes, marks, json } = document;
  const texts = textsOf(json, edited, changes);
  return bytes.length <= COPIED_BYTES_MAX ? patch(bytes, marks, texts) : cut(bytes, marks, texts);
}

const writeAnew = (edited: Members, changes: Members): string =>
  stringifyExactJson(changes === NO_CHANGES ? edited : { ...edited, ...changes });

/**
 * For each member in turn, and for new ones: its text, null where the bytes can be used, empty where it is removed.
 */
type MemberTexts = readonly (string | null)[];

function textsOf(json: Members, edited: Members, changes: Members): MemberTexts {
  const texts: (string | null)[] = [];
  // A name may be that of an inherited member.
  for (const name in json) {
    const value = json[name];
    const isChanged = Object.hasOwn(changes, name);
    const isKept = edited === json || Object.hasOwn(edited, name);
    const wanted = isChanged ? changes[name] : isKept ? edited[name] : undefined;
    texts.push(wanted === value ? null : writeMember(name, wanted));
  }
  if (edited !== json) pushNew(texts, edited, json, changes);
  pushNew(texts, changes, json, NO_CHANGES);
  return texts;
}

/** Those of the members that neither of the other two has. */
function pushNew(texts: (string | null)[], members: Members, json: Members, changes: Members): void {
  for (const name in members) {
    if (!Object.hasOwn(json, name) && !Object.hasOwn(changes, name)) texts.push(writeMember(name, members[name]));
  }
}

function writeMember(name: string, value: unknown): string {
  return value === undefined ? '' : `${writeText(name)}:${writeValue(value)}`;
}

const writeValue = (value: unknown): string =>
  typeof value === 'string' ? writeText(value) : stringifyExactJson(value);

/** Most names and words are plain, and quoting them here costs a tenth of JSON.stringify. */
const writeText = (text: string): string => (PLAIN_TEXT.test(text) ? `"${text}"` : JSON.stringify(text));

const PLAIN_TEXT = /^[\w .:/@+-]{0,200}$/;

/** With a comma. An exact count would cost more than a few bytes too many. */
function bytesAtMost(text: string): number {
  return 1 + (text.length < 256 ? text.length * 3 : Buffer.byteLength(text));
}

function patch(bytes: Buffer, marks: readonly number[], texts: MemberTexts): Buffer {
  let bytesMax = bytes.length + 2;
  for (const text of texts) if (text !== null) bytesMax += bytesAtMost(text);
  const target = Buffer.allocUnsafe(bytesMax);
  target[0] = OPENING;
  let length = 1;
  for (let index = 0; index < texts.length; index += 1) {
    const text = texts[index];
    if (text === '') continue;
    if (length > 1) {
      target[length] = COMMA;
      length += 1;
    }
    if (text !== null && text !== undefined) {
      length += target.write(text, length);
      continue;
    }
    const start = startOf(marks, index);
    while (texts[index + 1] === null) index += 1;
    length += bytes.copy(target, length, start, endOf(marks, index));
  }
  target[length] = CLOSING;
  return target.subarray(0, length + 1);
}

function cut(bytes: Buffer, marks: readonly number[], texts: MemberTexts): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let written = '{';
  let isFirst = true;
  for (let index = 0; index < texts.length; index += 1) {
    const text = texts[index];
    if (text === '') continue;
    if (!isFirst) written += ',';
    isFirst = false;
    if (text !== null && text !== undefined) {
      written += text;
      continue;
    }
    const start = startOf(marks, index);
    while (texts[index + 1] === null) index += 1;
    pieces.push(Buffer.from(written), bytes.subarray(start, endOf(marks, index)));
    written = '';
  }
  pieces.push(Buffer.from(`${written}}`));
  return pieces;
}

const OPENING = 0x7b;
const CLOSING = 0x7d;
const COMMA = 0x2c;

/** Neighbouring members that stay are taken together. */
const startOf = (marks: readonly number[], index: number): number => (marks[index * 2] ?? 0) + 1;
const endOf = (marks: readonly number[], index: number): number => marks[index * 2 + 2] ?? 0;
