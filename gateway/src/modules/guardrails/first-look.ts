// The first look at a request: whether a reviewer could find anything in it, answered at once and without making lists.
// Nearly every request ends here. Long requests, and those that look suspect, are then reviewed thoroughly.

import type { CanonicalRequest } from '../../canonical/operation.ts';
import type { PassageOrigin, TextVisitor } from '../../canonical/passage.ts';
import { refuseUnread } from './refuse-unread.ts';
import { SEAM_LENGTH, UNIT_LENGTH } from './units.ts';

/** True where a text may hold something; it is at most as long as what is scanned at once. */
type Suspicion = (text: string, origin: PassageOrigin) => boolean;

/** One look at a time, because a look never waits; so one visitor serves all. */
class FirstLook implements TextVisitor {
  hasRead = false;
  /** How much more it may look at; below zero where the request is too long. */
  #room = 0;
  #origin: PassageOrigin = 'user';
  /** The next part goes on from the one before. */
  #isJoined = false;
  /** Used again for every request; each part takes enough of the room to keep them few. */
  readonly #parts: string[] = [];
  readonly #origins: PassageOrigin[] = [];
  readonly #areJoined: boolean[] = [];
  #count = 0;

  start(lengthMax: number): void {
    this.hasRead = false;
    this.#room = lengthMax;
    this.#count = 0;
  }

  begin(origin: PassageOrigin): void {
    this.#origin = origin;
    this.#isJoined = false;
  }

  replace(part: string): string {
    if (part === '') return part;
    this.hasRead = true;
    if (this.#room < 0) return part;
    this.#room -= part.length + (this.#isJoined ? 2 : 1) * UNIT_LENGTH;
    this.#parts[this.#count] = part;
    this.#origins[this.#count] = this.#origin;
    this.#areJoined[this.#count] = this.#isJoined;
    this.#count += 1;
    this.#isJoined = true;
    return part;
  }

  readFixed(text: string): void {
    this.begin('instructions');
    this.replace(text);
  }

  /** Looks at what the walk has shown, and forgets it. */
  isClean(suspects: Suspicion): boolean {
    let isClean = this.#room >= 0;
    let before = '';
    for (let index = 0; index < this.#count; index += 1) {
      const part = this.#parts[index] as string;
      const origin = this.#origins[index] as PassageOrigin;
      this.#parts[index] = '';
      if (!this.#areJoined[index]) before = '';
      isClean &&= !suspects(part, origin) && (before === '' || !suspects(seamOf(before, part), origin));
      before = part.length >= SEAM_LENGTH ? part : before + part;
    }
    this.#count = 0;
    return isClean;
  }
}

const seamOf = (before: string, part: string): string => before.slice(-SEAM_LENGTH) + part.slice(0, SEAM_LENGTH);

const look = new FirstLook();

/**
 * Throws where the request has text and the walk showed none. Also false for a request with more than `lengthMax`
 * characters.
 */
export function looksClean(request: CanonicalRequest, suspects: Suspicion, lengthMax: number): boolean {
  look.start(lengthMax);
  request.visitTexts(look);
  if (!look.hasRead) refuseUnread(request);
  return look.isClean(suspects);
}
