// Inputs for fuzzing, from a seed: the same seed makes the same inputs on every machine. Mutations start from kept samples
// and from the words of the format, because random bytes alone rarely get past the first check.

export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e37_79b9) >>> 0;
  }

  /** Mulberry32: small, quick, and good enough to choose bytes. */
  next(): number {
    this.#state = (this.#state + 0x6d2b_79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
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

type Step = (bytes: Buffer, random: Random, seeds: readonly Buffer[], words: readonly string[]) => Buffer;

const at = (bytes: Buffer, random: Random): number => random.below(bytes.length + 1);

function insert(bytes: Buffer, where: number, added: Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, where), added, bytes.subarray(where)]);
}

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
  (bytes, random, _, words) => insert(bytes, at(bytes, random), Buffer.from(random.pick(words))),
  (bytes, random) => {
    const from = at(bytes, random);
    return insert(bytes, at(bytes, random), Buffer.from(bytes.subarray(from, from + random.below(200))));
  },
  (bytes, random, seeds) => {
    const other = random.pick(seeds);
    return Buffer.concat([bytes.subarray(0, at(bytes, random)), other.subarray(at(other, random))]);
  },
  (bytes, random) => bytes.subarray(0, at(bytes, random)),
  // A number becomes another one.
  (bytes, random) => {
    const text = bytes.toString('latin1');
    const numbers = [...text.matchAll(/\d+/g)];
    if (numbers.length === 0) return bytes;
    const { index, 0: digits } = random.pick(numbers);
    const other = random.pick(['-1', '0', '1', '4294967296', '1e400', '0.5', '99999999999999999999', 'null', '""']);
    return Buffer.from(text.slice(0, index) + other + text.slice(index + digits.length), 'latin1');
  },
];

export function mutate(random: Random, seeds: readonly Buffer[], ownWords: readonly string[] = []): Buffer {
  const words = [...JSON_WORDS, ...ownWords];
  let bytes = random.pick(seeds);
  for (let steps = 1 + random.below(5); steps > 0; steps -= 1) bytes = random.pick(STEPS)(bytes, random, seeds, words);
  return bytes.subarray(0, BYTES_MAX);
}

/** The same bytes in pieces of any size. */
export function cut(random: Random, bytes: Buffer): readonly Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const length = 1 + random.below(random.pick([1, 4, 64, 4_096]));
    pieces.push(bytes.subarray(start, start + length));
    start += length;
  }
  return pieces;
}
