// Keys that somebody has seen in public. A key's first report marks it, tells its holder and, where they chose so,
// switches it off; later reports change nothing. Only the whole secret makes a report, so that nobody can harm a key
// that they do not have.

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { harmlessName, type Mail, type Mailer } from '../../platform/mail/mailer.ts';
import type { OnKeyChange } from './identity.ts';
import { findKeySecrets, hashKeySecret, isOwnKeySecret, withoutKeySecrets } from './key-secret.ts';
import type { Key } from './store/keys.ts';
import { lockSeenKeys, markLeaked, type SeenKeyRow } from './store/leaks.ts';

/** A text that may contain keys, and where it was found. */
type Sighting = Readonly<{ text: string; place: string | null }>;

export type Leaks = Readonly<{
  /** True for every key that this installation has made, usable or not. */
  isOurs(secret: string): boolean;
  /**
   * Answers the keys that were found, as they are now. `onLeaked` runs in the transaction, for keys reported for the
   * first time.
   */
  report(sightings: readonly Sighting[], onLeaked: OnKeyChange): Promise<readonly Key[]>;
}>;

type LeaksOptions = Readonly<{
  database: Database;
  /** The key of the hashes. */
  pepper: Buffer;
  mailer: Mailer;
  siteUrl(): string;
  clock: Clock;
  /** Makes every process drop the cached caller. */
  forgetCallers(id: string): Promise<void>;
}>;

/** The most in one report; the scanner reports the others again. */
const KEYS_MAX = 1_000;
const PLACE_LENGTH_MAX = 500;

export function createLeaks(options: LeaksOptions): Leaks {
  const { database, pepper, mailer, siteUrl, clock, forgetCallers } = options;
  return {
    isOurs: (secret) => isOwnKeySecret(pepper, secret),
    async report(sightings, onLeaked) {
      const places = placesByHash(sightings, pepper);
      if (places.size === 0) return [];
      const hashes = [...places.keys()].map((hash) => Buffer.from(hash, 'hex'));
      const { keys, marked } = await database.transaction(async (transaction) => {
        const found = await lockSeenKeys(transaction, hashes);
        const newly: Key[] = [];
        for (const row of found.filter(({ leakedAt }) => leakedAt === null)) {
          const place = places.get(row.hash.toString('hex')) ?? null;
          const after = await markLeaked(transaction, row, { at: new Date(clock.nowMs()), place });
          if (after === null) continue;
          newly.push(after);
          await onLeaked(transaction, row, after);
          if (!row.is_told_elsewhere) await mailer.send(leakMail(row, after, siteUrl()), transaction);
        }
        return { keys: found.map((row) => newly.find(({ id }) => id === row.id) ?? row), marked: newly };
      });
      for (const { id } of marked) await forgetCallers(id);
      return keys;
    },
  };
}

/**
 * The first place of each key in the order of the report. A place that itself contains a key is stored without it, on
 * one line.
 */
function placesByHash(sightings: readonly Sighting[], pepper: Buffer): ReadonlyMap<string, string | null> {
  const places = new Map<string, string | null>();
  for (const { text, place } of sightings) {
    const seenAt = place === null ? null : withoutKeySecrets(place.replace(/\p{C}+/gu, ' ')).slice(0, PLACE_LENGTH_MAX);
    for (const secret of findKeySecrets(text)) {
      if (places.size >= KEYS_MAX) return places;
      if (!isOwnKeySecret(pepper, secret)) continue;
      const hash = hashKeySecret(pepper, secret).toString('hex');
      if (!places.has(hash)) places.set(hash, seenAt);
    }
  }
  return places;
}

/** The name and the place were typed by others, so neither may become a link. */
function leakMail({ holder_email: to }: SeenKeyRow, key: Key, siteUrl: string): Mail {
  const place = key.leakPlace === null ? 'in public' : `here: ${harmlessName(key.leakPlace)}`;
  return {
    to,
    subject: 'One of your Tollgate keys was seen in public',
    text: [
      `The key "${harmlessName(key.name)}" (${key.prefix}…${key.suffix}) was seen ${place}.`,
      key.isEnabled ? 'It still works. Anybody who has it can spend with it.' : 'It is switched off.',
      `Make a new key, use it instead, and delete this one:\n${siteUrl}/console/keys`,
    ].join('\n\n'),
  };
}
