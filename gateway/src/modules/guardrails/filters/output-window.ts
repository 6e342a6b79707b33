// A window over an answer that is being streamed. It keeps back as many characters as the longest match can have, so
// that a match is found before any of it was sent; a match at the very end may still grow and is kept back whole.

import type { OutputWindow } from '../../../canonical/answer.ts';
import type { Findings } from './inspect.ts';
import { MARK } from './redact.ts';
import type { FilterRule } from './rule.ts';
import type { RuleSet } from './rule-set.ts';

/** How many characters must come before the window is scanned again, because each scan covers the whole window. */
const STEP_LENGTH = 16;
/** A match that grows beyond this is taken as complete. */
const HELD_LENGTH_MAX = 65_536;

const TEMPLATE_REACH: Readonly<Record<string, number>> = {
  credit_card: 40,
  iban: 48,
  email: 80,
  phone: 32,
  national_id: 32,
  api_key: 120,
  private_key: 80,
};
const REGEX_REACH = 256;

/** How many characters a match may have; a keyword may have other characters between its letters. */
export function reachOf({ rules }: RuleSet): number {
  const reach = ({ type, pattern }: FilterRule): number => {
    if (type === 'template') return TEMPLATE_REACH[pattern] ?? REGEX_REACH;
    return type === 'keyword' ? 2 * pattern.length + 8 : REGEX_REACH;
  };
  return Math.max(0, ...rules.map(reach));
}

type WindowParts = Readonly<{
  reach: number;
  /** Answers at once. `freshLength` is how much of the text has come since the last time. */
  inspect(text: string, freshLength: number): Findings;
  isSlow(): boolean;
  /** The reason for a refusal, or null; it also notes the hits. */
  refusalOf(inspection: Findings): string | null;
}>;

type Range = Readonly<{ start: number; end: number }>;

export class FilterWindow implements OutputWindow {
  readonly #parts: WindowParts;
  /** The end of what was sent, as far back as a match may reach. */
  #context = '';
  #held = '';
  #freshLength = 0;
  /** How much must come until the next look. */
  #stepLength = STEP_LENGTH;
  #sentLength = 0;
  refusal: string | null = null;

  constructor(parts: WindowParts) {
    this.#parts = parts;
  }

  push(text: string): string {
    if (this.refusal !== null) return '';
    this.#held += text;
    this.#freshLength += text.length;
    if (this.#freshLength < this.#stepLength || this.#held.length <= this.#parts.reach) return '';
    return this.#release(false);
  }

  end(): string {
    return this.refusal !== null || this.#held === '' ? '' : this.#release(true);
  }

  get isSlow(): boolean {
    return this.#parts.isSlow();
  }

  rest(): Readonly<{ sent: string; kept: string }> {
    const kept = this.#held;
    this.#held = '';
    return { sent: this.#context, kept };
  }

  #release(isEnd: boolean): string {
    const { reach } = this.#parts;
    const text = this.#context + this.#held;
    const base = this.#context.length;
    const inspection = this.#parts.inspect(text, this.#freshLength);
    this.#freshLength = 0;
    const refusal = this.#parts.refusalOf(withoutSent(inspection, base));
    if (refusal !== null) {
      this.refusal = `${refusal} ${this.#sentLength} characters had been sent before.`;
      return '';
    }
    const ranges = redacted(inspection, base);
    const until = isEnd ? text.length : this.#limit(text, base, ranges);
    const output = write(text, { base, until }, ranges);
    this.#context = text.slice(Math.max(0, until - reach), until);
    this.#held = text.slice(until);
    // A match that goes on is looked at again when it is half as long again: at every step the whole of it would be
    // read as often as it has steps.
    const isGrowing = this.#held.length > reach + 1;
    this.#stepLength = isGrowing ? this.#held.length / 2 : STEP_LENGTH;
    this.#sentLength += until - base;
    return output;
  }

  /** Up to where the text may be sent: a match is sent whole, and one that reaches the end not yet. */
  #limit(text: string, base: number, ranges: readonly Range[]): number {
    let limit = Math.max(base, text.length - this.#parts.reach);
    for (const { start, end } of ranges) {
      if (start >= limit || end <= limit) continue;
      const mayGrow = end >= text.length && text.length - start < HELD_LENGTH_MAX;
      limit = mayGrow ? Math.max(base, start) : end;
    }
    // A surrogate pair is not split.
    return limit > base && isHighSurrogate(text.charCodeAt(limit - 1)) ? limit - 1 : limit;
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;

const withoutSent = ({ findings, undecided }: Findings, base: number): Findings => ({
  findings: findings.filter(({ span }) => span.end > base),
  undecided,
});

function redacted({ findings }: Findings, base: number): readonly Range[] {
  const ranges: { start: number; end: number }[] = [];
  const spans = findings.filter(({ rule, span }) => rule.action === 'redact' && span.end > base);
  for (const { span } of spans.toSorted((left, right) => left.span.start - right.span.start)) {
    const last = ranges.at(-1);
    if (last !== undefined && span.start < last.end) last.end = Math.max(last.end, span.end);
    else ranges.push({ start: span.start, end: span.end });
  }
  return ranges;
}

function write(
  text: string,
  { base, until }: Readonly<{ base: number; until: number }>,
  ranges: readonly Range[],
): string {
  let output = '';
  let offset = base;
  for (const { start, end } of ranges) {
    if (start >= until) break;
    output += text.slice(offset, Math.max(offset, start)) + MARK;
    offset = Math.max(offset, end);
  }
  return output + text.slice(offset, Math.max(offset, until));
}
