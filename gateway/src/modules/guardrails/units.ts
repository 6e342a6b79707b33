// What a reviewer scans: the parts of passages one by one, and the seams between them. A phrase that is spread over two
// parts is seen at their seam; parts are never simply glued together, because what ends one and begins the next would
// then hide each other ("...1111" and "2 apples").

import type { Passage, PassageOrigin } from '../../canonical/passage.ts';
import { takeTurn } from '../../platform/turns.ts';
import { SCAN_LENGTH_MAX } from './phrases/letters.ts';

export type Unit = Readonly<{
  /** The place in the list of passages, and of the unit in the parts of that passage put together. */
  passage: number;
  base: number;
  origin: PassageOrigin;
  text: string;
}>;

/** Of a match, within the parts of a passage put together. */
export type MatchSpan = Readonly<{ passage: number; start: number; end: number }>;

/** As much of either side as a match may reach over a seam. */
export const SEAM_LENGTH = 400;

export function unitsOf(passages: readonly Passage[]): readonly Unit[] {
  const units: Unit[] = [];
  for (let passage = 0; passage < passages.length; passage += 1) {
    const { origin, parts } = passages[passage] as Passage;
    let base = 0;
    for (const text of parts) {
      if (text !== '') units.push({ passage, base, origin, text });
      base += text.length;
    }
    if (parts.length > 1) for (const seam of seamsOf(parts)) units.push({ passage, origin, ...seam });
  }
  return units;
}

/** Seams that reach into each other become one. */
function seamsOf(parts: readonly string[]): readonly Pick<Unit, 'base' | 'text'>[] {
  const whole = parts.join('');
  const seams: { start: number; end: number }[] = [];
  let place = 0;
  for (const part of parts.slice(0, -1)) {
    place += part.length;
    const last = seams.at(-1);
    const start = Math.max(0, place - SEAM_LENGTH);
    const end = Math.min(whole.length, place + SEAM_LENGTH);
    if (last !== undefined && start <= last.end) last.end = end;
    else seams.push({ start, end });
  }
  return seams.map(({ start, end }) => ({ base: start, text: whole.slice(start, end) }));
}

/** Looks at a piece of a unit in one go. Neighbouring pieces overlap, so that nothing falls between them. */
export type Scanner = (unit: Unit, from: number, to: number) => void;

const OVERLAP_LENGTH = 1_024;
/** So many characters are scanned at once, each scanner's counted. */
export const AT_ONCE_LENGTH = 32_768;
/** What is longer is scanned in turns of so many: a template takes up to a millisecond for them. */
export const TURN_LENGTH = 16_384;
/** What a unit costs besides its text: requests may have a hundred thousand parts of one letter. */
export const UNIT_LENGTH = 256;

/** At once for what is short, and in turns with everybody else for what is long. */
export function scanUnits(units: readonly Unit[], scanners: readonly Scanner[], owner: string): void | Promise<void> {
  let length = 0;
  for (const { text } of units) length += (text.length + UNIT_LENGTH) * scanners.length;
  if (length > AT_ONCE_LENGTH) return scanInTurns(units, scanners, owner);
  for (const unit of units) for (const scan of scanners) scan(unit, 0, unit.text.length);
}

async function scanInTurns(units: readonly Unit[], scanners: readonly Scanner[], owner: string): Promise<void> {
  let scanned = 0;
  for (const unit of units) {
    for (const [from, to] of slicesOf(unit.text)) {
      for (const scan of scanners) {
        if (scanned + to - from > TURN_LENGTH) {
          await takeTurn(owner);
          scanned = 0;
        }
        scan(unit, from, to);
        scanned += to - from + UNIT_LENGTH;
      }
    }
  }
}

function* slicesOf({ length }: string): Generator<readonly [number, number]> {
  for (let from = 0; ; from += SLICE_LENGTH - OVERLAP_LENGTH) {
    const to = Math.min(length, from + SLICE_LENGTH);
    yield [from, to];
    if (to === length) return;
  }
}

const SLICE_LENGTH = Math.min(SCAN_LENGTH_MAX, TURN_LENGTH);
