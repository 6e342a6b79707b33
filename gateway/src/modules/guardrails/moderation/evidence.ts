// Keeps what moderation has refused for as long as the operator must be able to show it. It is sealed with its own key,
// for its user and its row; moderation keeps nothing else of what callers send.

import { DAY_MS, HOUR_MS } from '../../../canonical/calendar.ts';
import type { Caller } from '../../../canonical/caller.ts';
import type { CanonicalRequest } from '../../../canonical/operation.ts';
import { type Passage, passagesOf } from '../../../canonical/passage.ts';
import type { Clock } from '../../../platform/clock.ts';
import { deriveKey, hmacSha256Hex, open, type SealingKey, seal } from '../../../platform/crypto.ts';
import type { Database } from '../../../platform/db/database.ts';
import { removeAll } from '../../../platform/db/forget.ts';
import { newId } from '../../../platform/ids.ts';
import { RecentMap } from '../../../platform/recent-map.ts';
import type { SealedColumn } from '../../../platform/sealed-column.ts';
import * as store from '../store/evidence.ts';
import type { Verdict } from './moderator.ts';

type Violation = Readonly<{
  request: CanonicalRequest;
  caller: Caller;
  verdict: Verdict;
  reviewer: string;
}>;

export type EvidenceRecord = store.EvidenceRow;
type EvidenceSearch = store.EvidenceSearch;

export type Evidence = Readonly<{
  /** Answers the id that it is kept under. */
  keep(violation: Violation): Promise<string>;
  /** Newest first, without the content. Reads one more than asked for, to tell whether there is another page. */
  list(search: EvidenceSearch): Promise<readonly EvidenceRecord[]>;
  /** With the content, which is null when it was sealed with another secret. Null when there is no such record. */
  read(id: string): Promise<(EvidenceRecord & Readonly<{ content: string | null }>) | null>;
  /** Removes what was last seen longer ago than this; answers how many. */
  forgetOlderThan(days: number): Promise<number>;
}>;

/** The most that is kept of one request. */
const CONTENT_LENGTH_MAX = 65_536;
/** When a user sends more than this, only the beginning of each further text is kept. */
const FULL_PER_DAY_MAX = 60;
const SHORT_LENGTH_MAX = 2_048;
/** Beyond this, further texts of an hour are one record, because refused calls cost nothing and the disk does. */
const SEPARATE_PER_DAY_MAX = 240;
const USERS_MAX = 10_000;
const DELETE_AT_ONCE = 500;

export function createEvidence({
  database,
  clock,
  hashKey,
  sealingKey,
}: Readonly<{ database: Database; clock: Clock; hashKey: Buffer; sealingKey: SealingKey }>): Evidence {
  const digestKey = deriveKey(hashKey, 'evidence.digest');
  const roomFor = createRooms(clock);
  return {
    keep({ request, caller, verdict, reviewer }) {
      const id = newId('evd');
      const { userId, accountId, keyId } = caller;
      const whole = contentOf(passagesOf(request), verdict);
      const { length, isShared } = roomFor(userId);
      const content = whole.slice(0, length);
      const name = isShared ? `further texts of hour ${Math.floor(clock.nowMs() / HOUR_MS)}` : whole;
      return store.keepEvidence(database, {
        id,
        userId,
        accountId,
        keyId,
        categories: verdict.categories,
        reviewer,
        operation: request.operation,
        modelName: request.modelName.slice(0, 200),
        digest: hmacSha256Hex(digestKey, name),
        sealedContent: seal(sealingKey, content, placeOf(userId, id)),
        isCut: isShared || content.length < whole.length,
        createdAt: new Date(clock.nowMs()),
      });
    },
    list: (search) => store.listEvidence(database, search),
    async read(id) {
      const row = await store.findEvidence(database, id);
      if (row === null) return null;
      const { sealedContent, ...record } = row;
      return { ...record, content: open(sealingKey, sealedContent, placeOf(row.userId, id)) };
    },
    forgetOlderThan(days) {
      const before = new Date(clock.nowMs() - days * DAY_MS);
      return removeAll(DELETE_AT_ONCE, (limit) => store.deleteEvidenceBefore(database, before, limit));
    },
  };
}

const placeOf = (userId: string, id: string): string => `evidence:${userId}:${id}`;

/** The passages of the verdict come first, the others follow as context. */
function contentOf(passages: readonly Passage[], verdict: Verdict): string {
  const violating = new Set(verdict.passages);
  const places = [...verdict.passages, ...[...passages.keys()].filter((place) => !violating.has(place))];
  return places
    .map((place) => `[${passages[place]?.origin ?? 'user'}]\n${passages[place]?.parts.join('') ?? ''}`)
    .join('\n\n');
}

/** How much of a text is kept, and whether it is only counted with the further ones of its hour. */
type Room = Readonly<{ length: number; isShared: boolean }>;

function createRooms(clock: Clock): (userId: string) => Room {
  const kept = new RecentMap<{ count: number; sinceMs: number }>({ sizeMax: USERS_MAX });
  return (userId) => {
    const nowMs = clock.monotonicMs();
    const known = kept.get(userId);
    if (known === undefined || nowMs - known.sinceMs >= DAY_MS) {
      kept.set(userId, { count: 1, sinceMs: nowMs });
      return { length: CONTENT_LENGTH_MAX, isShared: false };
    }
    known.count += 1;
    const length = known.count > FULL_PER_DAY_MAX ? SHORT_LENGTH_MAX : CONTENT_LENGTH_MAX;
    return { length, isShared: known.count > SEPARATE_PER_DAY_MAX };
  };
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'moderation_evidence', key: { id: 'text' }, also: ['user_id'], column: 'sealed_content', type: 'text' },
    purposes: ['evidence', 'evidence.content'],
    boundTo: ({ user_id: userId = '', id = '' }) => placeOf(userId, id),
  },
];
