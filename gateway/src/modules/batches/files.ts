// Files of callers: uploads that are run as a batch, and results. Uploads are kept sealed, in parts, for a month;
// results are read from the lines of their batch. How much an account may keep is bounded.

import { DAY_MS } from '../../canonical/calendar.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { openBytes, type SealingKey, sealBytes } from '../../platform/crypto.ts';
import type { Database } from '../../platform/db/database.ts';
import { removeAll } from '../../platform/db/forget.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { newId } from '../../platform/ids.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import { type HasHadCredit, keptBounds } from './kept-bounds.ts';
import * as store from './store/files.ts';

export type { FileRow, Owner } from './store/files.ts';

type NewFile = store.Owner &
  Readonly<{ purpose: string; fileName: string; byteLength: number; keptMs: number; open(): AsyncIterable<Buffer> }>;

export type Files = Readonly<{
  /** 429 where the account keeps as much as it may. */
  create(file: NewFile): Promise<store.FileRow>;
  find(id: string, owner: store.Owner): Promise<store.FileRow | null>;
  list(search: store.FileSearch): Promise<readonly store.FileRow[]>;
  remove(id: string, owner: store.Owner): Promise<boolean>;
  /** The bytes of an upload, part by part. */
  read(id: string): AsyncIterable<Buffer>;
  sweep(): Promise<number>;
}>;

export const FILE_BYTES_MAX = 100 * 1024 * 1024;
const FILES_MAX = 1_000n;
const PART_BYTES = 1024 * 1024;
export const KEPT_MS = 30 * DAY_MS;
/** One at a time, because the results of a batch may be 50,000 answers, which go with its file in one statement. */
const SWEPT_AT_ONCE = 1;

type FilesInput = Readonly<{ database: Database; clock: Clock; sealingKey: SealingKey; hasHadCredit: HasHadCredit }>;

export function createFiles({ database, clock, sealingKey, hasHadCredit }: FilesInput): Files {
  const write = async (id: string, content: AsyncIterable<Buffer>): Promise<void> => {
    let partNo = 0;
    for await (const part of partsOf(content)) {
      await store.insertPart(database, id, partNo, sealBytes(sealingKey, part, placeOf(id, partNo)));
      partNo += 1;
    }
  };
  return {
    async create({ accountId, userId, purpose, fileName, byteLength, keptMs, open }) {
      const nowMs = clock.nowMs();
      const row: store.FileRow = {
        ...{ id: newId('file'), accountId, userId, purpose, fileName, bytes: BigInt(byteLength), batchId: null },
        ...{ createdAt: new Date(nowMs), expiresAt: new Date(nowMs + keptMs) },
      };
      const { fileBytes } = await keptBounds(accountId, hasHadCredit);
      await withRoom(database, accountId, async (transaction) => {
        const { files, bytes } = await store.readKept(transaction, accountId);
        if (files >= FILES_MAX || bytes + row.bytes > BigInt(fileBytes)) throw full();
        await store.insertFile(transaction, row);
      });
      try {
        await write(row.id, open());
      } catch (error) {
        await store.removeFile(database, row.id, row);
        throw error;
      }
      return row;
    },
    find: (id, owner) => store.findFile(database, id, owner, new Date(clock.nowMs())),
    list: (search) => store.listFiles(database, search, new Date(clock.nowMs())),
    remove: (id, owner) => store.removeFile(database, id, owner),
    async *read(id) {
      for (let partNo = 0; ; partNo += 1) {
        const sealed = await store.readPart(database, id, partNo);
        if (sealed === null) return;
        const part = openBytes(sealingKey, sealed, placeOf(id, partNo));
        if (part === null) throw new ApiError('http_500', 'The file cannot be read.');
        yield part;
      }
    },
    sweep: () => removeAll(SWEPT_AT_ONCE, (limit) => store.sweepFiles(database, new Date(clock.nowMs()), limit)),
  };
}

const placeOf = (id: string, partNo: number): string => `file:${id}:${partNo}`;

async function* partsOf(content: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of content) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes < PART_BYTES) continue;
    yield Buffer.concat(chunks);
    chunks = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(chunks);
}

const full = (): ApiError =>
  new ApiError(
    'http_429',
    'This account keeps as many files as it may: 1,000 or 1 GB, or 100 MB before its first credit. Delete some that are not needed any more.',
    { isTerminal: true },
  );

export const sealedColumns: readonly SealedColumn[] = [
  {
    ...{ table: 'file_parts', key: { file_id: 'text', part_no: 'integer' }, column: 'content', type: 'bytea' },
    purposes: ['files', 'files.content'],
    rowsAtOnce: 8,
    boundTo: ({ file_id: id = '', part_no: partNo = '' }) => placeOf(id, Number(partNo)),
  },
];
