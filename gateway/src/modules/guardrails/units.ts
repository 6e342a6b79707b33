// The units that a reviewer scans: the parts of passages one by one, and the seams between them. A phrase over two
// parts is found at their seam; parts are not simply joined, because the end of one and the beginning of the next would
// then hide each other ("...1111" and "2 apples").

import type { Passage, PassageOrigin } from '../../canonical/passage.ts';
import { LongTask } from '../../platform/turns.ts';
import { SCAN_LENGTH_MAX } from './phrases/letters.ts';

export type Unit = Readonly<{
  /** The place of the passage in the list, and of the unit in its joined parts. */
  passage: number;
  base: number;
  origin: PassageOrigin;
  text: string;
}>;

/** A match, by places in the joined parts of a passage. */
export type MatchSpan = Readonly<{ passage: number; start: number; end: number }>;

/** How far a match may reach on each side of a seam. */
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

/** Seams that overlap become one. */
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

/** Scans a piece of a unit in one go. Neighbouring pieces overlap, so that no match is lost between them. */
export type Scanner = (unit: Unit, from: number, to: number) => void;

const OVERLAP_LENGTH = 1_024;
/** How many characters are scanned at once, counted for each scanner. */
export const AT_ONCE_LENGTH = 32_768;
/** Longer texts are scanned in turns of this many, for which a template takes up to a millisecond. */
export const TURN_LENGTH = 16_384;
/** What a unit costs besides its text, because a request may have a hundred thousand parts of one letter. */
export const UNIT_LENGTH = 256;

/** Scans a short request at once, and a long one in turns with others. */
export function scanUnits(units: readonly Unit[], scanners: readonly Scanner[], owner: string): void | Promise<void> {
  let length = 0;
  for (const { text } of units) length += (text.length + UNIT_LENGTH) * scanners.length;
  if (length > AT_ONCE_LENGTH) return scanInTurns(units, scanners, owner);
  for (const unit of units) for (const scan of scanners) scan(unit, 0, unit.text.length);
}

async function scanInTurns(units: readonly Unit[], scanners: readonly Scanner[], owner: string): Promise<void> {
  const task = new LongTask(owner, TURN_LENGTH);
  for (const unit of units) {
    for (const [from, to] of slicesOf(unit.text)) {
      for (const scan of scanners) {
        const turn = task.before(to - from + UNIT_LENGTH);
        if (turn !== undefined) await turn;
        scan(unit, from, to);
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
