// Finds the places of a text where one of many phrases may begin, by the code of find-beginnings.wat, which looks at
// sixteen characters at once. It may find a place too many and never one too few; here is what it is told of the phrases.

import { BEGINNINGS_CODE } from './find-beginnings-code.ts';
import { LOOKS_OF_DIGITS, SCAN_LENGTH_MAX } from './letters.ts';
import { NO_END, type PhraseTrie, stepFrom } from './phrase-trie.ts';

/** What a character is at first sight. The numbers from 1 to 26 are letters, and the tree's symbols for them. */
export const SEPARATOR = 0;
export const DIGIT = 27;
/** A letter that no phrase has. */
export const STRANGE = 28;
/** Anything else, or not known yet: it may be any letter, several, or none. */
export const WILD = 31;

const KIND_BITS = 5;
export const KINDS = 2 ** KIND_BITS;

/** Where the code keeps what it reads and writes; find-beginnings.wat says the same. */
const KINDS_AT = 0;
const TEXT_AT = 65_536;
const PLACES_AT = 163_968;
const THREE_AT = 295_104;
const SEVEN_AT = 299_200;
const FOUR_AT = 307_392;
const ORDERS_AT = 315_584;

const UNIT_BYTES = 2;
/** As many characters are looked at together. */
const BLOCK_LENGTH = 16;
const PLACE_BYTES = 4;
/** Four blanks in UTF-16. */
const BLANKS = 0x0020_0020_0020_0020n;
const BLANKS_BYTES = 8;

const OPENING_LENGTH = 3;
const LONG_LENGTH = 7;
const SHORT_LENGTH = 4;

/** The code for one set of phrases: what it exports, and its memory as it is read and written here. */
export class BeginningFinder {
  /** By UTF-16 unit. Other alphabets may be filled in as their characters are met. */
  readonly kinds: Uint8Array;
  readonly #text: Buffer;
  readonly #view: DataView;
  readonly #find: (length: number) => number;

  constructor(trie: PhraseTrie, kinds: Uint8Array) {
    const { memory, find } = new WebAssembly.Instance(compiledCode()).exports;
    const { buffer } = memory;
    this.#find = find;
    this.#view = new DataView(buffer);
    this.#text = Buffer.from(buffer, TEXT_AT, UNIT_BYTES * (SCAN_LENGTH_MAX + BLOCK_LENGTH));
    this.kinds = new Uint8Array(buffer, KINDS_AT, kinds.length);
    this.kinds.set(kinds);
    const bytes = new Uint8Array(buffer);
    writeOrders(bytes);
    markOpenings({ trie, bytes }, [0], 0, 0);
    for (const { units } of trie.phrases) markLetters(bytes, units.slice(0, LONG_LENGTH).map(latinKind));
  }

  /** Looks at the text between two places, which are at most `SCAN_LENGTH_MAX` apart; answers how many it has found. */
  find(text: string, from: number, to: number): number {
    const length = to - from;
    this.#text.write(length === text.length ? text : text.slice(from, to), 'utf16le');
    const end = TEXT_AT + UNIT_BYTES * length;
    for (let at = end; at < end + UNIT_BYTES * BLOCK_LENGTH; at += BLANKS_BYTES) {
      this.#view.setBigUint64(at, BLANKS, true);
    }
    return this.#find(length);
  }

  /** Counted from where the last look began. */
  placeOf(index: number): number {
    return this.#view.getUint32(PLACES_AT + PLACE_BYTES * index, true);
  }
}

/** The part of what Node has for it that is used here; its types know nothing of it. */
declare const WebAssembly: Readonly<{
  Module: new (code: Uint8Array) => object;
  Instance: new (compiled: object) => Readonly<{ exports: BeginningsCode }>;
}>;

type BeginningsCode = Readonly<{ memory: Readonly<{ buffer: ArrayBuffer }>; find: (length: number) => number }>;

let codeOnce: object | null = null;

function compiledCode(): object {
  codeOnce ??= new WebAssembly.Module(Buffer.from(BEGINNINGS_CODE, 'base64'));
  return codeOnce;
}

/** For each mask of eight characters, the places of those that are in it, one behind the other. */
function writeOrders(bytes: Uint8Array): void {
  for (let mask = 0; mask < 256; mask += 1) {
    let at = ORDERS_AT + 8 * mask;
    for (let place = 0; place < 8; place += 1) {
      if (((mask >> place) & 1) === 0) continue;
      bytes[at] = place;
      at += 1;
    }
  }
}

function mark(bytes: Uint8Array, table: number, key: number): void {
  bytes[table + (key >> 3)] = (bytes[table + (key >> 3)] as number) | (1 << (key & 7));
}

type Openings = Readonly<{ trie: PhraseTrie; bytes: Uint8Array }>;

/** Marks what may follow the kinds of `key`, of which there are `length`, after a walk to one of the states. */
function markOpenings(openings: Openings, states: readonly number[], key: number, length: number): void {
  const { trie, bytes } = openings;
  if (length === OPENING_LENGTH || states.some((state) => trie.endKind[state] !== NO_END)) {
    markAll(bytes, key, length);
    return;
  }
  for (let kind = 1; kind <= DIGIT; kind += 1) {
    const reached = statesAfter(trie, states, kind, length === 0);
    if (reached.length > 0) markOpenings(openings, reached, key * KINDS + kind, length + 1);
  }
  markAll(bytes, key * KINDS + WILD, length + 1);
}

/** Whatever follows the kinds of `key`. */
function markAll(bytes: Uint8Array, key: number, length: number): void {
  const count = KINDS ** (OPENING_LENGTH - length);
  for (let marked = key * count; marked < (key + 1) * count; marked += 1) mark(bytes, THREE_AT, marked);
}

const DIGITS = Array.from('0123456789', (digit) => digit.charCodeAt(0));
/** A digit may stand for the letter that it looks like, but not at the beginning of a word. */
const READ_AS_DIGITS = [...DIGITS, ...LOOKS_OF_DIGITS];

function statesAfter(trie: PhraseTrie, states: readonly number[], kind: number, isFirst: boolean): readonly number[] {
  const units = kind < DIGIT ? [kind + 0x60] : isFirst ? DIGITS : READ_AS_DIGITS;
  const reached: number[] = [];
  for (const state of states) {
    for (const unit of units) {
      const next = stepFrom(trie, state, unit);
      if (next !== 0) reached.push(next);
    }
  }
  return reached;
}

/** Zero for what is no Latin letter; where a text has that, the code asks for three kinds alone. */
export const latinKind = (unit: number): number => (unit >= 0x61 && unit <= 0x7a ? unit - 0x60 : 0);

/** Marks the first seven letters of a long phrase, or the first four of a short one. */
function markLetters(bytes: Uint8Array, letters: readonly number[]): void {
  if (letters.includes(0)) return;
  if (letters.length === LONG_LENGTH) mark(bytes, SEVEN_AT, mixed(letters, 0x9e37_79b9_7f4a_7c15n, 64));
  else if (letters.length < SHORT_LENGTH)
    for (let next = 1; next < DIGIT; next += 1) markLetters(bytes, [...letters, next]);
  else mark(bytes, FOUR_AT, mixed(letters.slice(0, SHORT_LENGTH), 0x9e37_79b9n, 32));
}

/** The high bits of a product, as find-beginnings.wat has them. */
function mixed(letters: readonly number[], factor: bigint, bits: number): number {
  const packed = letters.reduceRight((sum, letter) => (sum << 8n) | BigInt(letter), 0n);
  return Number(BigInt.asUintN(bits, packed * factor) >> BigInt(bits - 16));
}
