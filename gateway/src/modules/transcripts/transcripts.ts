// Transcripts of calls, for organizations that have asked to keep them: prompt and answer, both as the reviewers left
// them. They are queued without waiting, written together outside the calls, compressed and sealed for their row, and
// wait while the database is away. When too many wait, or an organization has no room left, the latest are dropped.

import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import { openBytes, type SealingKey, sealBytes } from '../../platform/crypto.ts';
import { errorCode, isConnectionFailure } from '../../platform/db/connection-failure.ts';
import type { Database } from '../../platform/db/database.ts';
import { removeAll } from '../../platform/db/forget.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import * as store from './store/transcripts.ts';

const WRITE_MS = 1_000;
const FORGET_MS = 600_000;
const QUEUE_MAX = 2_000;
const QUEUE_CHARACTERS_MAX = 16 * 1024 * 1024;
/** An organization may fill one part in this many of the queue, so that its calls push out nothing of others. */
const ORGS_SHARE = 4;
const WRITTEN_AT_ONCE = 50;
const ERASED_AT_ONCE = 500;
const SHORTENED_AT_ONCE = 1_000;
/** For one organization, compressed: little before its first credit, because organizations cost nothing to make. */
const KEPT_BYTES_MAX = { beforeCredit: 100 * 1024 * 1024, afterCredit: 1024 * 1024 * 1024 };

export type TranscriptMessage = Readonly<{ role: string; content: string }>;

export type TranscriptContent = Readonly<{
  messages: readonly TranscriptMessage[];
  /** As the client got it: a JSON object, or the events of a stream. */
  answer: string;
  isStream: boolean;
  /** A text was too long to be kept whole. */
  isCut: boolean;
}>;

type Named = Readonly<{
  orgId: string;
  id: string;
  userId: string;
  keyId: string;
  modelId: string;
  createdAtMs: number;
}>;

type NewTranscript = Named & Readonly<{ keptDays: number; content: TranscriptContent }>;
export type Transcript = Named & Readonly<{ content: TranscriptContent }>;
export type Scope = store.Scope;

/** Transcripts that cannot be opened are left out, and what is older than them still follows. */
type TranscriptPage = Readonly<{ transcripts: readonly Transcript[]; nextBeforeId: string | null }>;

export type Transcripts = Readonly<{
  /** Never waits. */
  note(transcript: NewTranscript): void;
  /** Null when there is none, or when it was sealed with another secret. */
  find(orgId: string, scope: Scope, id: string): Promise<Transcript | null>;
  /** Newest first, of those before this id; from the newest on where it is null. */
  list(
    orgId: string,
    scope: Scope,
    page: Readonly<{ beforeId: string | null; limit: number }>,
  ): Promise<TranscriptPage>;
  /** Erases one, those of a person, or all of the organization; answers how many. */
  erase(orgId: string, which: Readonly<{ userId: string | null; id: string | null }>): Promise<number>;
  /** Also shortens the time of those that are kept already. */
  shorten(orgId: string, days: number): Promise<void>;
  /** Writes what waits. */
  flush(): Promise<void>;
  close(): Promise<void>;
}>;

type TranscriptsOptions = Readonly<{
  database: Database;
  clock: Clock;
  logger: Logger;
  sealingKey: SealingKey;
  hasHadCredit(orgId: string): Promise<boolean>;
}>;

const zip = promisify(gzip);
const unzip = promisify(gunzip);
/** Sorts after every id. */
const LAST_ID = 'gen-~';

export function createTranscripts(options: TranscriptsOptions): Transcripts {
  const { database, clock, logger, sealingKey } = options;
  const queue = createQueue(options);
  const read = async (row: store.TranscriptRow): Promise<Transcript | null> => {
    const bytes = openBytes(sealingKey, row.content, placeOf(row));
    if (bytes === null) return null;
    const content = JSON.parse((await unzip(bytes)).toString('utf8')) as TranscriptContent;
    const { orgId, id, userId, keyId, modelId, createdAt } = row;
    return { orgId, id, userId, keyId, modelId, createdAtMs: createdAt.getTime(), content };
  };
  const asked = (orgId: string, scope: Scope) => ({ orgId, scope, now: new Date(clock.nowMs()) });
  const forgetExpired = async (): Promise<void> => {
    const now = new Date(clock.nowMs());
    while ((await store.forgetExpired(database, now, ERASED_AT_ONCE)) >= ERASED_AT_ONCE);
  };
  const warn = (error: unknown): void =>
    logger.warn({ error: asError(error) }, 'transcripts could not be written, or old ones not removed');
  const stops = [
    clock.every(WRITE_MS, () => void queue.flush().catch(warn)),
    clock.every(FORGET_MS, () => void forgetExpired().catch(warn)),
  ];
  return {
    note: queue.note,
    async find(orgId, scope, id) {
      const row = await store.findTranscript(database, asked(orgId, scope), id);
      return row === null ? null : read(row);
    },
    async list(orgId, scope, { beforeId, limit }) {
      const page = { beforeId: beforeId ?? LAST_ID, limit };
      const rows = await store.listTranscripts(database, asked(orgId, scope), page);
      const transcripts = (await Promise.all(rows.map(read))).filter((transcript) => transcript !== null);
      return { transcripts, nextBeforeId: rows.length < limit ? null : (rows.at(-1)?.id ?? null) };
    },
    async erase(orgId, { userId, id }) {
      // Transcripts that wait to be written are of calls answered within the last second.
      await queue.flush();
      return removeAll(ERASED_AT_ONCE, (limit) => store.eraseTranscripts(database, { orgId, userId, id }, limit));
    },
    async shorten(orgId, days) {
      const part = { orgId, days, limit: SHORTENED_AT_ONCE };
      for (let last: string | null = ''; last !== null; )
        last = await store.shortenTranscripts(database, { ...part, afterId: last });
    },
    flush: queue.flush,
    async close() {
      for (const stop of stops) stop();
      await queue.flush().catch(warn);
    },
  };
}

const placeOf = ({ orgId, id }: Readonly<{ orgId: string; id: string }>): string => `transcript:${orgId}:${id}`;

type Queue = Readonly<{ note(transcript: NewTranscript): void; flush(): Promise<void> }>;

function createQueue({ database, sealingKey, hasHadCredit }: TranscriptsOptions): Queue {
  let waiting: NewTranscript[] = [];
  let characters = 0;
  let writing: Promise<void> = Promise.resolve();
  /** By organization. */
  const charactersOf = new Map<string, number>();
  const note = (transcript: NewTranscript): void => {
    const { orgId, content } = transcript;
    const length = lengthOf(content);
    if (waiting.length >= QUEUE_MAX || characters + length > QUEUE_CHARACTERS_MAX) return;
    const own = (charactersOf.get(orgId) ?? 0) + length;
    if (own > QUEUE_CHARACTERS_MAX / ORGS_SHARE) return;
    characters += length;
    charactersOf.set(orgId, own);
    waiting.push(transcript);
  };
  const take = (): NewTranscript[] => {
    const taken = waiting;
    waiting = [];
    characters = 0;
    charactersOf.clear();
    return taken;
  };
  const boundsOf = async (orgIds: ReadonlySet<string>): Promise<ReadonlyMap<string, number>> => {
    const bound = async (orgId: string) =>
      [orgId, (await hasHadCredit(orgId)) ? KEPT_BYTES_MAX.afterCredit : KEPT_BYTES_MAX.beforeCredit] as const;
    return new Map(await Promise.all([...orgIds].map(bound)));
  };
  const write = async (): Promise<void> => {
    const batch = take();
    for (let at = 0; at < batch.length; at += WRITTEN_AT_ONCE) {
      const rows = await Promise.all(batch.slice(at, at + WRITTEN_AT_ONCE).map((one) => sealed(one, sealingKey)));
      try {
        await store.insertTranscripts(database, rows, await boundsOf(new Set(rows.map(({ orgId }) => orgId))));
      } catch (error) {
        // What the database refuses is left out. After any other failure all that is not written waits, the oldest first.
        const from = isPassing(error) ? at : at + WRITTEN_AT_ONCE;
        for (const transcript of [...batch.slice(from), ...take()]) note(transcript);
        throw error;
      }
    }
  };
  return {
    note,
    flush() {
      if (waiting.length > 0) writing = writing.catch(() => {}).then(write);
      return writing;
    },
  };
}

const DEADLOCK = '40P01';

const isPassing = (error: unknown): boolean => isConnectionFailure(error) || errorCode(error) === DEADLOCK;

const lengthOf = ({ messages, answer }: TranscriptContent): number =>
  messages.reduce((sum, { content }) => sum + content.length, answer.length);

async function sealed(transcript: NewTranscript, sealingKey: SealingKey): Promise<store.TranscriptRow> {
  const { content, keptDays, createdAtMs, ...named } = transcript;
  const bytes = await zip(JSON.stringify(content));
  return {
    ...named,
    createdAt: new Date(createdAtMs),
    expiresAt: new Date(createdAtMs + keptDays * DAY_MS),
    content: sealBytes(sealingKey, bytes, placeOf(transcript)),
  };
}

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'transcripts', key: { org_id: 'text', id: 'text' }, column: 'content', type: 'bytea', rowsAtOnce: 32 },
    purposes: ['transcripts'],
    boundTo: ({ org_id: orgId = '', id = '' }) => placeOf({ orgId, id }),
  },
];
