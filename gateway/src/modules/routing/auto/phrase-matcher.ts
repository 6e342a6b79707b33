// Finds phrases of all languages in one pass: a trie is walked from every beginning of a word, and the longest phrase
// that ends where a word ends counts. The work is bounded by the text and by the longest phrase, whatever the text
// says. The guardrails' matcher cannot be used here: it looks through tricks of spelling, so it drops punctuation and
// spaces and takes look-alike letters of different alphabets for one. To it `c++` and `c#` are any word `c`.

import { type Characters, IDEOGRAPH, SEPARATOR, UNITS, WORD_PART } from './characters.ts';

/** What a phrase stands for: the index of a signal. */
export type Phrase = Readonly<{ text: string; signal: number }>;

type PhraseMatcher = Readonly<{
  /** Tells the signal of each phrase found among the first units, in the order of the text. */
  scan(units: Uint16Array, length: number, found: (signal: number) => void): void;
}>;

/** Ends a phrase that also stands for longer words with the same beginning. */
const STEM_MARK = '*';
const NONE: readonly number[] = [];

export function compilePhrases(phrases: readonly Phrase[], characters: Characters): PhraseMatcher {
  const { kinds } = characters;
  const { symbols, edges, endings, whole, stem } = compileTrie(phrases, characters);

  /** The longest phrase at the start of the last walk. */
  const longest = { signals: NONE, end: 0 };
  const walk = (units: Uint16Array, start: number, length: number): void => {
    longest.signals = NONE;
    let node = 0;
    for (let index = start; index < length; index += 1) {
      const unit = units[index] ?? 0;
      node = edges.follow(node, symbols[unit] ?? 0);
      if (node < 0) return;
      if (endings[node] === 0) continue;
      const isInside = kinds[unit] !== IDEOGRAPH && index + 1 < length && kinds[units[index + 1] ?? 0] === WORD_PART;
      const signals = (isInside ? stem : whole)[node] ?? NONE;
      if (signals.length === 0) continue;
      longest.signals = signals;
      longest.end = index + 1;
    }
  };

  return {
    scan(units, length, found) {
      let index = 0;
      while (index < length) {
        const kind = kinds[units[index] ?? 0];
        if (kind === SEPARATOR) {
          index += 1;
          continue;
        }
        walk(units, index, length);
        index = kind === IDEOGRAPH ? index + 1 : endOfWord(units, kinds, index, length);
        if (longest.signals.length === 0) continue;
        for (const signal of longest.signals) found(signal);
        index = Math.max(index, longest.end);
      }
    },
  };
}

function endOfWord(units: Uint16Array, kinds: Uint8Array, start: number, length: number): number {
  let end = start + 1;
  while (end < length && kinds[units[end] ?? 0] === WORD_PART) end += 1;
  return end;
}

type Trie = Readonly<{
  /** Of each unit: a small number for those that some phrase has, in whichever case or accent; 0 for all others. */
  symbols: Uint16Array;
  edges: EdgeTable;
  /** By node: 1 where a phrase ends. */
  endings: Uint8Array;
  /** By node: the signals of the phrases that end there, at the end of a word or within one. */
  whole: readonly (readonly number[])[];
  stem: readonly (readonly number[])[];
}>;

function compileTrie(phrases: readonly Phrase[], { folded }: Characters): Trie {
  const symbolOfUnit = new Map<number, number>();
  const edges: Edge[] = [];
  const next = new Map<number, number>();
  const whole = new Map<number, number[]>();
  const stem = new Map<number, number[]>();
  for (const { text, signal } of phrases) {
    const isStem = text.endsWith(STEM_MARK);
    const letters = isStem ? text.slice(0, -1) : text;
    let node = 0;
    for (let index = 0; index < letters.length; index += 1) {
      const unit = folded[letters.charCodeAt(index)] ?? 0;
      const symbol = symbolOfUnit.get(unit) ?? symbolOfUnit.size + 1;
      symbolOfUnit.set(unit, symbol);
      const key = node * UNITS + symbol;
      const known = next.get(key);
      const target = known ?? edges.length + 1;
      if (known === undefined) {
        edges.push({ node, symbol, target });
        next.set(key, target);
      }
      node = target;
    }
    addTo(whole, node, signal);
    if (isStem) addTo(stem, node, signal);
  }
  const nodes = Array.from({ length: edges.length + 1 }, (_, node) => node);
  return {
    symbols: folded.map((unit) => symbolOfUnit.get(unit) ?? 0),
    edges: createEdgeTable(edges),
    endings: Uint8Array.from(nodes, (node) => (whole.has(node) ? 1 : 0)),
    whole: nodes.map((node) => whole.get(node) ?? NONE),
    stem: nodes.map((node) => stem.get(node) ?? NONE),
  };
}

function addTo(endings: Map<number, number[]>, node: number, signal: number): void {
  const signals = endings.get(node);
  if (signals === undefined) endings.set(node, [signal]);
  else if (!signals.includes(signal)) signals.push(signal);
}

type Edge = Readonly<{ node: number; symbol: number; target: number }>;
type EdgeTable = Readonly<{
  /** Where the symbol leads from the node; -1 for nowhere. */
  follow(node: number, symbol: number): number;
}>;

const SYMBOL_BITS = 12;

/** All edges in one open-addressed table of two flat arrays: a step costs a multiplication and a comparison. */
function createEdgeTable(edges: readonly Edge[]): EdgeTable {
  const bits = Math.max(8, Math.ceil(Math.log2(edges.length * 4)));
  const mask = 2 ** bits - 1;
  const keys = new Int32Array(mask + 1).fill(-1);
  const targets = new Int32Array(mask + 1);
  const slotOf = (key: number): number => Math.imul(key, 0x9e3779b1) >>> (32 - bits);
  for (const { node, symbol, target } of edges) {
    const key = (node << SYMBOL_BITS) | symbol;
    let slot = slotOf(key);
    while (keys[slot] !== -1) slot = (slot + 1) & mask;
    keys[slot] = key;
    targets[slot] = target;
  }
  return {
    follow(node, symbol) {
      if (symbol === 0) return -1;
      const key = (node << SYMBOL_BITS) | symbol;
      let slot = slotOf(key);
      while (keys[slot] !== key) {
        if (keys[slot] === -1) return -1;
        slot = (slot + 1) & mask;
      }
      return targets[slot] ?? -1;
    },
  };
}
