// What the cache of answers has saved, and when it was emptied. Savings are counted in memory and written every few
// seconds: a process that is killed loses the last of them, while the record of each call has its own saving exactly.

import { dayOf } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import * as store from './store.ts';

export type { SavedRow } from './store.ts';

type Hit = Readonly<{ accountId: string; userId: string; modelId: string }>;

export type Savings = Readonly<{
  note(hit: Hit, savedNanoUsd: NanoUsd): void;
  /** Writes what has been noted. */
  write(): Promise<void>;
  /** By day and model, with what has been noted here and not written yet. */
  read(search: store.SavedSearch): Promise<readonly store.SavedRow[]>;
  /**
   * `userId` null empties it for everybody in the account. The caller must have cached callers of the account looked up
   * again.
   */
  purge(accountId: string, userId: string | null): Promise<void>;
}>;

const NOTED_MAX = 10_000;

type Noted = { readonly row: store.SavedKey; hits: bigint; savedNanoUsd: NanoUsd };

export function createSavings({ database, clock }: Readonly<{ database: Database; clock: Clock }>): Savings {
  let noted = new Map<string, Noted>();
  const write = async (): Promise<void> => {
    if (noted.size === 0) return;
    const written = noted;
    noted = new Map();
    try {
      await store.addSaved(
        database,
        [...written.values()].map(({ row, hits, savedNanoUsd }) => ({ ...row, hits, savedNanoUsd })),
      );
    } catch (error) {
      for (const { row, hits, savedNanoUsd } of written.values()) add(row, hits, savedNanoUsd);
      throw error;
    }
  };
  const add = (row: store.SavedKey, hits: bigint, savedNanoUsd: NanoUsd): void => {
    const name = JSON.stringify([row.accountId, row.day, row.userId, row.modelId]);
    const known = noted.get(name);
    if (known !== undefined) {
      known.hits += hits;
      known.savedNanoUsd += savedNanoUsd;
    } else if (noted.size < NOTED_MAX) noted.set(name, { row, hits, savedNanoUsd });
  };
  return {
    note(hit, savedNanoUsd) {
      const day = dayOf(clock.nowMs());
      add({ ...hit, day }, 1n, savedNanoUsd);
    },
    write,
    async read(search) {
      await write();
      return store.readSaved(database, search);
    },
    purge: (accountId, userId) => store.purge(database, accountId, userId ?? '', new Date(clock.nowMs())),
  };
}
