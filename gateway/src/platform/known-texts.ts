// Long strings of JSON that were read not long ago, found again by a digest of their bytes. An agent sends its whole
// conversation again with every turn, and reading a long string anew takes six times as long as its digest, most of it
// for memory that the system has to give. The owner is part of the digest, so that nobody can measure whether somebody
// else has sent a text.

import { isUtf8 } from 'node:buffer';
import { createCipheriv, randomBytes } from 'node:crypto';
import { RecentMap } from './recent-map.ts';

export type KnownText = Readonly<{
  /** Of its bytes and its owner: the same text has another in another process. */
  digest: string;
  text: string;
  /** What was read is valid. */
  isUtf8: boolean;
  /** Of memory. */
  bytes: number;
}>;

/** For a shorter one the digest costs as much as it saves. */
export const KNOWN_BYTES_MIN = 16_384;
/** For all texts that are kept, in bytes of memory; one of them may have an eighth. */
const KEPT_BYTES_MAX = 32 * 1024 * 1024;
const ONE_BYTES_MAX = KEPT_BYTES_MAX / 8;

/** By their lengths, so that a text is found without reading it; of two with the same length, the later one. */
export type KnownTexts = ReadonlyMap<number, KnownText>;

export const NO_TEXTS: KnownTexts = new Map();

const kept = new RecentMap<KnownText>({ sizeMax: KEPT_BYTES_MAX, weightOf: ({ bytes }) => bytes });

/**
 * A digest is the tag of AES-GCM, several times as fast as a hash; without the key nobody can make two texts with the
 * same one.
 */
export class TextDigests {
  readonly #key = randomBytes(16);
  readonly #nonce = randomBytes(12);

  of(owner: string, bytes: Uint8Array): string {
    const cipher = createCipheriv('aes-128-gcm', this.#key, this.#nonce);
    cipher.setAAD(Buffer.from(`${owner}\n`)).setAAD(bytes);
    cipher.final();
    return cipher.getAuthTag().toString('base64');
  }
}

const digests = new TextDigests();

type FoundText = Readonly<{ literal: Buffer; known: KnownText }>;

/** The long strings of one body. */
export class BodyTexts {
  readonly #owner: string;
  readonly #found: FoundText[] = [];
  #digest = '';

  constructor(owner: string) {
    this.#owner = owner;
  }

  get byLength(): KnownTexts {
    return new Map(this.#found.map(({ known }) => [known.text.length, known]));
  }

  /** What a literal with its quotes was read as; undefined where that is not known, and `keep` has to follow. */
  recall(literal: Buffer): string | undefined {
    this.#digest = digests.of(this.#owner, literal);
    const known = kept.get(this.#digest);
    if (known !== undefined) this.#found.push({ literal, known });
    return known?.text;
  }

  /** Keeps what the literal that was asked for last has been read as. */
  keep(literal: Buffer, text: string): string {
    // One byte for a character, where each has come as one.
    const bytes = text.length === literal.length - QUOTES ? text.length : 2 * text.length;
    const known = { digest: this.#digest, text, isUtf8: isUtf8(literal), bytes };
    if (bytes <= ONE_BYTES_MAX) kept.set(known.digest, known);
    this.#found.push({ literal, known });
    return text;
  }

  /** Whether all of the body is UTF-8; its long strings are not looked through again. */
  areUtf8(body: Buffer): boolean {
    let from = 0;
    for (const { literal, known } of this.#found) {
      const start = literal.byteOffset - body.byteOffset;
      if (!known.isUtf8 || !isUtf8(body.subarray(from, start))) return false;
      from = start + literal.length;
    }
    return isUtf8(body.subarray(from));
  }
}

const QUOTES = 2;
