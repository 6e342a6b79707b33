// The moderator that needs no other service: phrases and the words near them, from catalog/guardrails/policy. It is
// fast and local, and finds only what is said literally; an operator who needs judgement connects a model.

import type { CanonicalRequest, Judge } from '../../../canonical/operation.ts';
import { passagesOf, userPassage } from '../../../canonical/passage.ts';
import { type KnownTexts, NO_TEXTS, TextDigests } from '../../../platform/known-texts.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import { looksClean } from '../first-look.ts';
import { readPolicy } from '../guardrail-data.ts';
import { compileLexicon, type Lexicon } from '../phrases/lexicon.ts';
import { scanUnits, UNIT_LENGTH, type Unit, unitsOf } from '../units.ts';
import type { Moderator, Verdict } from './moderator.ts';

type BuiltInPolicy = Lexicon;

let policyOnce: BuiltInPolicy | null = null;

/** Shared by all, because it is data of this build and takes a tenth of a second to compile. */
export function readBuiltInPolicy(): BuiltInPolicy {
  policyOnce ??= compileLexicon(readPolicy());
  return policyOnce;
}

/** `categories` are those that are enforced. */
export function createBuiltInModerator(policy: BuiltInPolicy, categories: ReadonlySet<string>): Moderator {
  const clean = new CleanTexts();
  const isSuspect = (text: string): boolean => policy.find(text, 0, text.length).length > 0;
  return (request, owner) => {
    if (looksClean(request, isSuspect, FIRST_LOOK_LENGTH_MAX)) return null;
    const found = new Map<string, Set<number>>();
    const scan = (unit: Unit, from: number, to: number): void => {
      for (const { category } of policy.find(unit.text, from, to)) {
        if (!categories.has(category)) continue;
        const places = found.get(category) ?? new Set();
        found.set(category, places.add(unit.passage));
      }
    };
    const { units, digests } = clean.leaveOut(unitsOf(passagesOf(request)), owner, longTextsOf(request));
    const conclude = (): Verdict | null => {
      if (found.size > 0) return toVerdict(found);
      clean.remember(digests);
      return null;
    };
    const scanning = scanUnits(units, [scan], owner);
    return scanning === undefined ? conclude() : scanning.then(conclude);
  };
}

const longTextsOf = (request: CanonicalRequest): KnownTexts =>
  request.operation === 'chat' ? (request.source?.longTexts ?? NO_TEXTS) : NO_TEXTS;

/** For longer requests it pays to check first which of their texts are known. */
const FIRST_LOOK_LENGTH_MAX = 8_192;
/** Shorter texts are gathered to this length and share a digest; that of a longer one would keep other calls waiting. */
const KNOWN_LENGTH_MIN = 8_192;
const KNOWN_LENGTH_MAX = 1_000_000;
const KNOWN_MAX = 40_000;
/** A text that is cut off because it needs more room than its length leaves at most this many bytes unused. */
const CUT_BYTES_MAX = 4;
/** For what is written beside the texts. */
const ROOM_BYTES = 4_096;

/**
 * Texts in which nothing was found: long ones, and short ones that came one after another. An agent sends its whole
 * conversation again with every turn, and a digest costs a thirtieth of a scan. The account is part of the digest, so
 * that nobody can measure whether another account has sent a text.
 */
class CleanTexts {
  readonly #clean = new RecentMap<true>({ sizeMax: KNOWN_MAX });
  readonly #digests = new TextDigests();
  /** Reused for every text. The system gives memory only to the pages that are written. */
  readonly #scratch = Buffer.allocUnsafeSlow(2 * KNOWN_LENGTH_MAX + ROOM_BYTES);

  /**
   * The units that are left to scan, and the digests to remember when they are clean. Short ones are gathered from the
   * first on, so that a conversation that has grown is gathered as before, except for its end.
   */
  leaveOut(
    all: readonly Unit[],
    owner: string,
    longTexts: KnownTexts,
  ): Readonly<{ units: readonly Unit[]; digests: readonly string[] }> {
    const units: Unit[] = [];
    const digests: string[] = [];
    let gathered: Unit[] = [];
    let gatheredLength = 0;
    const leaveOutKnown = (group: readonly Unit[], digest = this.#digestOf(group, owner)): void => {
      if (this.#clean.get(digest) === true) return;
      digests.push(digest);
      units.push(...group);
    };
    for (const unit of all) {
      const { length } = unit.text;
      const known = longTexts.get(length);
      if (known?.text === unit.text) leaveOutKnown([unit], known.digest);
      else if (length > KNOWN_LENGTH_MAX) units.push(unit);
      else if (length >= KNOWN_LENGTH_MIN) leaveOutKnown([unit]);
      else {
        gathered.push(unit);
        gatheredLength += length + UNIT_LENGTH;
      }
      if (gatheredLength < KNOWN_LENGTH_MIN) continue;
      leaveOutKnown(gathered);
      gathered = [];
      gatheredLength = 0;
    }
    return { units: units.concat(gathered), digests };
  }

  #digestOf(group: readonly Unit[], owner: string): string {
    let end = 0;
    for (const { text } of group) end = this.#write(text, end);
    return this.#digests.of(owner, this.#scratch.subarray(0, end));
  }

  /**
   * A text of ASCII alone as its bytes, any other as UTF-16: as UTF-8, different texts with broken surrogates would
   * have the same bytes. The first byte says which of the two it is, and the length where the next text begins.
   */
  #write(text: string, start: number): number {
    const scratch = this.#scratch;
    const from = scratch.writeUInt32LE(text.length, start + 1);
    const isAscii = beginsWithAscii(text) && scratch.write(text, from, text.length + CUT_BYTES_MAX) === text.length;
    scratch[start] = isAscii ? 1 : 2;
    return from + (isAscii ? text.length : scratch.write(text, from, 'utf16le'));
  }

  remember(digests: readonly string[]): void {
    for (const digest of digests) this.#clean.set(digest, true);
  }
}

/** Of other characters most texts have one near their beginning, and are not written for nothing. */
const BEGINNING_LENGTH = 2_048;

function beginsWithAscii(text: string): boolean {
  const beginning = text.slice(0, BEGINNING_LENGTH);
  return Buffer.byteLength(beginning) === beginning.length;
}

function toVerdict(found: ReadonlyMap<string, ReadonlySet<number>>): Verdict {
  const passages = new Set([...found.values()].flatMap((places) => [...places]));
  return { categories: [...found.keys()].sort(), passages: [...passages].sort((left, right) => left - right) };
}

export function createJudge(policy: BuiltInPolicy): Judge {
  return async (texts, owner) => {
    const found = texts.map(() => new Set<string>());
    const scan = (unit: Unit, from: number, to: number): void => {
      for (const { category } of policy.find(unit.text, from, to)) found[unit.passage]?.add(category);
    };
    await scanUnits(unitsOf(texts.map((text) => userPassage(text))), [scan], owner);
    return found;
  };
}

/** For measurements: the categories of one text. */
export function categoriesOf(policy: BuiltInPolicy, text: string): readonly string[] {
  return [...new Set(policy.find(text, 0, text.length).map(({ category }) => category))];
}
