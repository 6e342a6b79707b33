// The first look at a request: whether a reviewer could find anything in it, answered at once and without collecting
// its texts. Nearly every request ends here. Long requests, and those that look suspect, are then reviewed thoroughly.

import type { CanonicalRequest } from '../../canonical/operation.ts';
import type { PassageOrigin, TextVisitor } from '../../canonical/passage.ts';
import { refuseUnread } from './refuse-unread.ts';
import { SEAM_LENGTH, UNIT_LENGTH } from './units.ts';

/** True where a text may hold something; it is at most as long as what is scanned at once. */
type Suspicion = (text: string, origin: PassageOrigin) => boolean;

/** One look at a time, because a look never waits; so one visitor serves all. */
class FirstLook implements TextVisitor {
  isClean = true;
  hasRead = false;
  #suspects: Suspicion = () => false;
  #room = 0;
  #origin: PassageOrigin = 'user';
  /** The end of the passage so far; empty at its first part. */
  #before = '';

  start(suspects: Suspicion, lengthMax: number): void {
    this.isClean = true;
    this.hasRead = false;
    this.#suspects = suspects;
    this.#room = lengthMax;
  }

  begin(origin: PassageOrigin): void {
    this.#origin = origin;
    this.#before = '';
  }

  replace(part: string): string {
    if (!this.isClean || part === '') return part;
    this.hasRead = true;
    this.#room -= part.length + UNIT_LENGTH;
    this.isClean = this.#room >= 0 && !this.#suspects(part, this.#origin) && !this.#isSuspectSeam(part);
    this.#before = this.#before === '' || part.length >= SEAM_LENGTH ? part : this.#before + part;
    return part;
  }

  readFixed(text: string): void {
    this.begin('instructions');
    this.replace(text);
  }

  #isSuspectSeam(part: string): boolean {
    if (this.#before === '') return false;
    this.#room -= UNIT_LENGTH;
    return this.#suspects(this.#before.slice(-SEAM_LENGTH) + part.slice(0, SEAM_LENGTH), this.#origin);
  }
}

const look = new FirstLook();

class LengthOfTexts implements TextVisitor {
  length = 0;

  begin(): void {}

  replace(part: string): string {
    this.length += part.length;
    return part;
  }
}

const texts = new LengthOfTexts();

/**
 * Throws where the request has text and the walk showed none. Also false for a request with more than `lengthMax`
 * characters.
 */
export function looksClean(request: CanonicalRequest, suspects: Suspicion, lengthMax: number): boolean {
  // Counting costs next to nothing, and spares a long request a look that would be given up in the middle.
  texts.length = 0;
  request.visitTexts(texts);
  if (texts.length > lengthMax) return false;
  look.start(suspects, lengthMax);
  request.visitTexts(look);
  if (!look.hasRead) refuseUnread(request);
  return look.isClean;
}
