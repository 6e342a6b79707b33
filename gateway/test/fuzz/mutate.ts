// Inputs for fuzzing, from a seed: the same seed makes the same inputs on every machine. Mutations start from kept
// samples and from the words of the format, because random bytes alone rarely get past the first check.

export class Random {
  #a: number;
  #b: number;
  #c: number;
  #count = 1;

  /** The words choose one of many sequences of numbers that a seed has. */
  constructor(seed: number, words = '') {
    // FNV-1a of the words, and the seed beside it.
    let hash = 0x811c_9dc5;
    for (let index = 0; index < words.length; index += 1) {
      hash = Math.imul(hash ^ words.charCodeAt(index), 0x0100_0193) >>> 0;
    }
    this.#a = seed >>> 0;
    this.#b = hash;
    this.#c = 0x9e37_79b9;
    for (let round = 0; round < 12; round += 1) this.next();
  }

  /** Small Fast Counter of 128 bits: it does not repeat within a night of inputs. */
  next(): number {
    const mixed = (this.#a + this.#b + this.#count) | 0;
    this.#count = (this.#count + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + mixed) | 0;
    return mixed >>> 0;
  }

  below(bound: number): number {
    return this.next() % Math.max(bound, 1);
  }

  pick<Item>(items: readonly Item[]): Item {
    return items[this.below(items.length)] as Item;
  }
}

const BYTES_MAX = 16_384;

const JSON_WORDS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    '"',
    ':',
    ',',
    'null',
    'true',
    '-1',
    '0',
    '1e999',
    '-0',
    '1.5',
    '9007199254740993',
    '{}',
    '[]',
    '""',
  ],
  ...[
    '\\u0000',
    '\\ud800',
    '"__proto__":',
    '"constructor":',
    '\u0000',
    '\ufeff',
    '\u2028',
    '\\',
    '\n',
    '\r\n',
    '\r',
    '\n\n',
  ],
  ...[
    '"error":{"message":"x"}',
    '"usage":null',
    '"type":',
    '"index":-1',
    '"index":4294967296',
    '[[[[[[[[',
    '{"a":{"a":{"a":',
  ],
];

type Step = (bytes: Buffer, random: Random, seeds: readonly Buffer[], words: readonly Buffer[]) => Buffer;

const at = (bytes: Buffer, random: Random): number => random.below(bytes.length + 1);

function insert(bytes: Buffer, where: number, added: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, where), added, bytes.subarray(where)]);
}

const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= 0x30 && byte <= 0x39;
const NUMBERS = ['-1', '0', '1', '4294967296', '1e400', '0.5', '99999999999999999999', 'null', '""'].map((text) =>
  Buffer.from(text),
);

const STEPS: readonly Step[] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    if (changed.length > 0) changed[random.below(changed.length)] = random.below(256);
    return changed;
  },
  (bytes, random) => {
    const from = at(bytes, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + random.below(32))]);
  },
  (bytes, random, _, words) => insert(bytes, at(bytes, random), random.pick(words)),
  (bytes, random) => {
    const from = at(bytes, random);
    return insert(bytes, at(bytes, random), Buffer.from(bytes.subarray(from, from + random.below(200))));
  },
  (bytes, random, seeds) => {
    const other = random.pick(seeds);
    return Buffer.concat([bytes.subarray(0, at(bytes, random)), other.subarray(at(other, random))]);
  },
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  // A number becomes another one: the first that stands after some place.
  (bytes, random) => {
    let start = at(bytes, random);
    while (start < bytes.length && !isDigit(bytes[start])) start += 1;
    let end = start;
    while (isDigit(bytes[end])) end += 1;
    while (isDigit(bytes[start - 1])) start -= 1;
    if (start === end) return bytes;
    return Buffer.concat([bytes.subarray(0, start), random.pick(NUMBERS), bytes.subarray(end)]);
  },
];

const SHORT_BYTES = 700;
const LINE_END = 0x0a;

/** A sample, or some lines of one: what is short is tried sooner, and more of it. */
function beginning(random: Random, seeds: readonly Buffer[]): Buffer {
  const whole = random.pick(seeds);
  if (whole.length <= SHORT_BYTES || random.below(3) === 0) return whole;
  const from = random.below(whole.length);
  const start = random.below(2) === 0 ? 0 : whole.indexOf(LINE_END, from) + 1;
  const end = whole.indexOf(LINE_END, start + random.below(SHORT_BYTES));
  return whole.subarray(start, end === -1 ? whole.length : end + 1);
}

/** What is put in, of every format and of this one. */
export const wordsOf = (ownWords: readonly string[] = []): readonly Buffer[] =>
  [...JSON_WORDS, ...ownWords].map((word) => Buffer.from(word));

export function mutate(random: Random, seeds: readonly Buffer[], words: readonly Buffer[]): Buffer {
  let bytes = beginning(random, seeds);
  for (let steps = 1 + random.below(5); steps > 0; steps -= 1) bytes = random.pick(STEPS)(bytes, random, seeds, words);
  return bytes.subarray(0, BYTES_MAX);
}

const PIECE_BYTES = [1, 4, 64, 4_096];

/** The same bytes in pieces of any size. */
export function cut(random: Random, bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const length = 1 + random.below(random.pick(PIECE_BYTES));
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}
