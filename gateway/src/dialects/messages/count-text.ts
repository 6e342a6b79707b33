// The tokens of a text, counted by its runs of letters, digits, signs and blanks, which is how tokenizers cut before
// they look anything up. It costs one pass and no vocabulary.

/** Vendors' vocabularies differ by about this much from the public ones that the weights below were fitted to. */
const VOCABULARY_MARGIN = 1.1;

const LETTER = 0;
const DIGIT = 1;
const BLANK = 2;
const SIGN = 3;
const ACCENTED = 4;
const SYLLABIC = 5;
const IDEOGRAPHIC = 6;

export function countTextTokens(text: string): number {
  let tokens = 0;
  let kind = -1;
  let length = 0;
  for (let position = 0; position < text.length; position += 1) {
    const unit = text.charCodeAt(position);
    const next = kindOf(unit);
    // `camelCase` is cut where the capital stands.
    const isCut = next !== kind || (next === LETTER && unit < 0x5b && text.charCodeAt(position - 1) >= 0x61);
    if (isCut) {
      tokens += runTokens(kind, length);
      kind = next;
      length = 0;
    }
    length += 1;
  }
  return (tokens + runTokens(kind, length)) * VOCABULARY_MARGIN;
}

function kindOf(unit: number): number {
  if ((unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a)) return LETTER;
  if (unit <= 0x20) return BLANK;
  if (unit >= 0x30 && unit <= 0x39) return DIGIT;
  if (unit < 0x80) return SIGN;
  if (unit < 0x800) return ACCENTED;
  return unit < 0x2e80 ? SYLLABIC : IDEOGRAPHIC;
}

function runTokens(kind: number, length: number): number {
  switch (kind) {
    case LETTER:
      return length <= 6 ? 1 : 1 + (length - 6) * 0.15;
    case DIGIT:
      return Math.ceil(length / 3);
    case BLANK:
      // A single blank belongs to the word after it; indentation is one token however deep.
      return length === 1 ? 0 : 1;
    case SIGN:
      return Math.ceil(length / 4);
    case ACCENTED:
      return length * 0.45;
    case SYLLABIC:
      return length * 0.55;
    case IDEOGRAPHIC:
      return length * 1.1;
    default:
      return 0;
  }
}
