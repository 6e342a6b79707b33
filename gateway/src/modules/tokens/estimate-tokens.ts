// Estimates the tokens of a text without its vocabulary: one look at each character, and weights that were fitted to a
// current vocabulary over prose, code, data and two dozen languages. It should be close to the truth, while the
// estimate for a reservation should be above it.

/** Longer texts are sampled, because a conversation of ten megabytes must not hold up other calls. */
const WHOLE_LENGTH_MAX = 65_536;
const SAMPLE_COUNT = 16;
const SAMPLE_LENGTH = 4_096;

const LOWER = 0;
const UPPER = 1;
const DIGIT = 2;
const PUNCTUATION = 3;
const NEWLINE = 4;
const SPACE = 5;
/** Kinds from here on are scripts beyond ASCII, whose characters cost the same wherever they stand. */
const FIRST_SCRIPT = 6;

type Script = Readonly<{ from: number; to: number; tokens: number }>;

const OTHER_TOKENS = 1.2;

/** Tokens for each UTF-16 unit of a block of Unicode. Marks and signs count like the letters they belong to. */
const scripts: readonly Script[] = [
  { from: 0x00c0, to: 0x036f, tokens: 0.42 },
  { from: 0x0370, to: 0x03ff, tokens: 0.4 },
  { from: 0x0400, to: 0x052f, tokens: 0.3 },
  { from: 0x0590, to: 0x05ff, tokens: 0.5 },
  { from: 0x0600, to: 0x077f, tokens: 0.36 },
  { from: 0x0900, to: 0x0d7f, tokens: 0.37 },
  { from: 0x0d80, to: 0x0dff, tokens: 0.57 },
  { from: 0x0e00, to: 0x0eff, tokens: 0.4 },
  { from: 0x0f00, to: 0x17ff, tokens: 0.63 },
  { from: 0x1e00, to: 0x1eff, tokens: 0.42 },
  { from: 0x2018, to: 0x201d, tokens: 0.7 },
  { from: 0x3000, to: 0x303f, tokens: 1 },
  { from: 0x3040, to: 0x30ff, tokens: 0.65 },
  { from: 0x3400, to: 0x9fff, tokens: 0.69 },
  { from: 0xac00, to: 0xd7af, tokens: 0.68 },
  { from: 0xd800, to: 0xdfff, tokens: 0.9 },
  { from: 0xff00, to: 0xffef, tokens: 1 },
];

/** Indexed by kind less `FIRST_SCRIPT`; the first is for scripts that no row of the table names. */
const scriptTokens = Float64Array.of(OTHER_TOKENS, ...scripts.map(({ tokens }) => tokens));

/** The kind of every UTF-16 unit. */
const kinds = buildKinds();

const WORD_TOKENS = 0.95;
/** Vocabularies have whole words up to about six letters; a longer word is more and more likely to be two tokens. */
const WHOLE_WORD_LENGTH = 6;
const LONG_WORD_LETTER_TOKENS = 0.3;
const FURTHER_CAPITAL_TOKENS = 0.2;
/** Letters next to digits or a new capital without a space, as in identifiers and random text. */
const JOINT_TOKENS = 0.28;
const DIGITS_PER_TOKEN = 3;
/** A sign often shares a token with the word after it. */
const PUNCTUATION_TOKENS = 0.7;
const FURTHER_PUNCTUATION_TOKENS = 0.2;
/** Lines made of one repeated sign have long tokens of their own. */
const REPEATED_PUNCTUATION_TOKENS = 0.02;
const LINE_TOKENS = 1;
const INDENTATION_TOKENS = 0.15;
/** A space is part of the word that follows it, but never of a number. */
const SPACE_BEFORE_NUMBER_TOKENS = 1;

export function estimateTokens(text: string): number {
  if (text.length <= WHOLE_LENGTH_MAX) return Math.ceil(weigh(text, 0, text.length));
  const stride = (text.length - SAMPLE_LENGTH) / (SAMPLE_COUNT - 1);
  let tokens = 0;
  for (let sample = 0; sample < SAMPLE_COUNT; sample += 1) {
    const start = Math.floor(sample * stride);
    tokens += weigh(text, start, start + SAMPLE_LENGTH);
  }
  return Math.ceil((tokens * text.length) / (SAMPLE_COUNT * SAMPLE_LENGTH));
}

function weigh(text: string, start: number, end: number): number {
  let tokens = 0;
  let before = NEWLINE;
  let beforeUnit = 0;
  /** How many units of the current kind stand in a row. */
  let run = 0;
  for (let index = start; index < end; index += 1) {
    const unit = text.charCodeAt(index);
    const kind = kinds[unit] ?? FIRST_SCRIPT;
    // A capital and the small letters after it are one word.
    run = kind === before || (kind === LOWER && before === UPPER) ? run + 1 : 1;
    if (kind >= FIRST_SCRIPT) tokens += scriptTokens[kind - FIRST_SCRIPT] ?? OTHER_TOKENS;
    else if (kind === LOWER) tokens += smallLetterTokens(run, before);
    else if (kind === SPACE) tokens += run === 2 ? INDENTATION_TOKENS : 0;
    else if (kind === UPPER) tokens += run === 1 ? WORD_TOKENS + jointTokens(before) : FURTHER_CAPITAL_TOKENS;
    else if (kind === DIGIT) tokens += digitTokens(run, before);
    else if (kind === NEWLINE) tokens += run === 1 ? LINE_TOKENS : 0;
    else tokens += punctuationTokens(run, unit === beforeUnit);
    before = kind;
    beforeUnit = unit;
  }
  return tokens;
}

function smallLetterTokens(run: number, before: number): number {
  if (run > WHOLE_WORD_LENGTH) return LONG_WORD_LETTER_TOKENS;
  // After an accented letter the word has been counted already.
  if (run > 1 || before >= FIRST_SCRIPT) return 0;
  return WORD_TOKENS + jointTokens(before);
}

function digitTokens(run: number, before: number): number {
  if (run > 1) return run % DIGITS_PER_TOKEN === 1 ? 1 : 0;
  return 1 + (before === SPACE ? SPACE_BEFORE_NUMBER_TOKENS : jointTokens(before));
}

function punctuationTokens(run: number, isRepeated: boolean): number {
  if (run === 1) return PUNCTUATION_TOKENS;
  return isRepeated ? REPEATED_PUNCTUATION_TOKENS : FURTHER_PUNCTUATION_TOKENS;
}

function jointTokens(before: number): number {
  return before <= DIGIT ? JOINT_TOKENS : 0;
}

function buildKinds(): Uint8Array {
  const table = new Uint8Array(0x10000).fill(FIRST_SCRIPT);
  table.fill(PUNCTUATION, 0, 0x80);
  table.fill(LOWER, 0x61, 0x7b);
  table.fill(UPPER, 0x41, 0x5b);
  table.fill(DIGIT, 0x30, 0x3a);
  for (const unit of [0x20, 0x09]) table[unit] = SPACE;
  for (const unit of [0x0a, 0x0d]) table[unit] = NEWLINE;
  for (const [index, { from, to }] of scripts.entries()) table.fill(FIRST_SCRIPT + 1 + index, from, to + 1);
  return table;
}
