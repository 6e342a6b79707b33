// Texts that are nearly one of the given ones: a letter changed, lost, doubled or moved, ends cut off or added, two of
// them joined, and other spellings of the same bytes. Never one of the given texts; the same seed gives the same texts.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const ODD_LETTERS = '+/=.~!%';

type Random = (below: number) => number;
type Mutate = (text: string, random: Random, other: string) => string;

const cut = (text: string, start: number, end: number, middle = ''): string =>
  text.slice(0, start) + middle + text.slice(end);

const letter = (letters: string, random: Random): string => letters[random(letters.length)] ?? 'A';

const mutators: readonly Mutate[] = [
  (text, random) => {
    const place = random(text.length);
    return cut(text, place, place + 1, letter(ALPHABET, random));
  },
  // The last letters hold bits that decoders are known to ignore.
  (text, random) => cut(text, text.length - 1, text.length, letter(ALPHABET, random)),
  (text, random) => {
    const place = random(text.length);
    return cut(text, place, place + 1 + random(8));
  },
  (text, random) => {
    const place = random(text.length + 1);
    return cut(text, place, place, letter(ALPHABET + ODD_LETTERS, random));
  },
  (text, random) => text.slice(0, random(text.length)),
  (text, random) => text.slice(1 + random(text.length - 1)),
  (text, random) => text + letter(ALPHABET + ODD_LETTERS, random).repeat(1 + random(4)),
  (text, random) => letter(ALPHABET + ODD_LETTERS, random).repeat(1 + random(4)) + text,
  (text, random, other) => {
    const place = 1 + random(Math.min(text.length, other.length) - 1);
    return text.slice(0, place) + other.slice(place);
  },
  (text, random) => {
    const [first, second] = [random(text.length), random(text.length)].sort((left, right) => left - right);
    if (first === undefined || second === undefined || first === second) return `${text}A`;
    return cut(cut(text, second, second + 1, text[first]), first, first + 1, text[second]);
  },
  (text, random) => {
    const place = random(text.length);
    const changed = text[place] ?? 'A';
    const isLower = changed === changed.toLowerCase();
    return cut(text, place, place + 1, isLower ? changed.toUpperCase() : changed.toLowerCase());
  },
  (text) => text.replaceAll('-', '+').replaceAll('_', '/'),
  (text) => text.split('').reverse().join(''),
  (_, random) => Array.from({ length: 40 + random(200) }, () => letter(ALPHABET, random)).join(''),
];

export function* randomMutations(tokens: readonly string[], count: number, seed: number): Generator<string> {
  let state = seed;
  const random: Random = (below) => {
    // A linear congruential generator is good enough to choose places.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  for (let made = 0; made < count; ) {
    const token = tokens[random(tokens.length)] ?? '';
    const other = tokens[random(tokens.length)] ?? '';
    const mutated = mutators[random(mutators.length)]?.(token, random, other) ?? '';
    if (tokens.includes(mutated)) continue;
    made += 1;
    yield mutated;
  }
}
