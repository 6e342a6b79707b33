// The moderator that needs no other service: phrases and the words near them, from catalog/guardrails/policy. It is
// fast and local, and finds only what is said literally; an operator who needs judgement connects a model.

import { createCipheriv, randomBytes } from 'node:crypto';
import type { Judge } from '../../../canonical/operation.ts';
import { passagesOf, userPassage } from '../../../canonical/passage.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import { looksClean } from '../first-look.ts';
import { readPolicy } from '../guardrail-data.ts';
import { compileLexicon, type Lexicon } from '../phrases/lexicon.ts';
import { scanUnits, type Unit, unitsOf } from '../units.ts';
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
  const known = new KnownTexts();
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
    const { units, digests } = known.leaveOut(unitsOf(passagesOf(request)), owner);
    const conclude = (): Verdict | null => {
      if (found.size > 0) return toVerdict(found);
      known.remember(digests);
      return null;
    };
    const scanning = scanUnits(units, [scan], owner);
    return scanning === undefined ? conclude() : scanning.then(conclude);
  };
}

/** For longer requests it pays to check first which of their texts are known. */
const FIRST_LOOK_LENGTH_MAX = 8_192;
/** The digest of a shorter text saves nothing; that of a longer one would keep other calls waiting. */
const KNOWN_LENGTH_MIN = 2_048;
const KNOWN_LENGTH_MAX = 1_000_000;
const KNOWN_MAX = 40_000;
/** A text that is cut off because it needs more room than its length leaves at most this many bytes unused. */
const CUT_BYTES_MAX = 4;
/** The longest id of an account, which is ours and short. */
const OWNER_LENGTH_MAX = 1_024;

/**
 * Long texts in which nothing was found. An agent sends its whole conversation again with every turn, and a digest
 * costs a thirtieth of a scan. The account is part of the digest, so that nobody can measure whether another account
 * has sent a text.
 */
class KnownTexts {
  readonly #clean = new RecentMap<true>({ sizeMax: KNOWN_MAX });
  /**
   * A digest is the tag of AES-GCM, several times as fast as a hash; without the key nobody can make two texts with the
   * same one.
   */
  readonly #key = randomBytes(16);
  readonly #nonce = randomBytes(12);
  /** Reused for every text. The system gives memory only to the pages that are written. */
  readonly #scratch = Buffer.allocUnsafeSlow(2 * (KNOWN_LENGTH_MAX + OWNER_LENGTH_MAX));

  /** The units that are left to scan, and the digests of the long ones among them. */
  leaveOut(all: readonly Unit[], owner: string): Readonly<{ units: readonly Unit[]; digests: readonly string[] }> {
    const digests: string[] = [];
    const units = all.filter(({ text }) => {
      if (text.length < KNOWN_LENGTH_MIN || text.length > KNOWN_LENGTH_MAX) return true;
      const digest = this.#digestOf(text, owner);
      if (this.#clean.get(digest) === true) return false;
      digests.push(digest);
      return true;
    });
    return { units, digests };
  }

  #digestOf(text: string, owner: string): string {
    const scratch = this.#scratch;
    const start = scratch.write(`${owner}\n`, 0, 'utf16le');
    const end = start + this.#write(text, start);
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.#nonce).setAAD(scratch.subarray(0, end));
    cipher.final();
    return cipher.getAuthTag().toString('base64');
  }

  /**
   * A text of ASCII alone as its bytes, any other as UTF-16: as UTF-8, different texts with broken surrogates would
   * have the same bytes. The first byte says which of the two it is.
   */
  #write(text: string, start: number): number {
    const scratch = this.#scratch;
    scratch[start] = 1;
    if (scratch.write(text, start + 1, text.length + CUT_BYTES_MAX) === text.length) return 1 + text.length;
    scratch[start] = 2;
    return 1 + scratch.write(text, start + 1, 'utf16le');
  }

  remember(digests: readonly string[]): void {
    for (const digest of digests) this.#clean.set(digest, true);
  }
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
