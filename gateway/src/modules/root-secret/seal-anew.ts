// Seals with the secret in use what was sealed with the previous one, in small transactions, column by column in the
// order of keys, going on where the last process stopped. The previous secret is removed only after a whole pass has
// found nothing that needs it: during an earlier pass, a row that was sealed just before the change may have been
// written behind it.

import { keyInUse, open, openBytes, type SealingKey, seal, sealBytes } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { SealedColumn, SealedRow } from '../../platform/sealed-column.ts';
import * as store from './store.ts';

const ROWS_AT_ONCE = 100;

/**
 * Null where nothing needs to change or nothing can; and how many sealed texts could be opened, and how many could not.
 */
type Anew = Readonly<{ value: string | Buffer | null; opened: number; unreadable: number }>;

const AS_IT_SHOULD_BE: Anew = { value: null, opened: 1, unreadable: 0 };
const UNREADABLE: Anew = { value: null, opened: 0, unreadable: 1 };

type SealedText = Readonly<{ column: SealedColumn; row: SealedRow; value: string | Buffer; key: SealingKey }>;

export function sealAnew({ column, row, value, key }: SealedText): Anew {
  if (column.type === 'json') return documentAnew(column, String(value), key);
  const boundTo = column.boundTo(row);
  return typeof value === 'string' ? textAnew(value, boundTo, key) : bytesAnew(value, boundTo, key);
}

function textAnew(value: string, boundTo: string, key: SealingKey): Anew {
  if (open(keyInUse(key), value, boundTo) !== null) return AS_IT_SHOULD_BE;
  const text = open(key, value, boundTo);
  return text === null ? UNREADABLE : { value: seal(key, text, boundTo), opened: 1, unreadable: 0 };
}

function bytesAnew(value: Buffer, boundTo: string, key: SealingKey): Anew {
  // A value that was emptied instead of deleted has nothing sealed in it.
  if (value.length === 0) return { value: null, opened: 0, unreadable: 0 };
  if (openBytes(keyInUse(key), value, boundTo) !== null) return AS_IT_SHOULD_BE;
  const bytes = openBytes(key, value, boundTo);
  return bytes === null ? UNREADABLE : { value: sealBytes(key, bytes, boundTo), opened: 1, unreadable: 0 };
}

function documentAnew(column: SealedColumn & Readonly<{ type: 'json' }>, value: string, key: SealingKey): Anew {
  let isChanged = false;
  let opened = 0;
  let unreadable = 0;
  const document = column.mapSealed(JSON.parse(value), (sealed, boundTo) => {
    const anew = textAnew(sealed, boundTo, key);
    opened += anew.opened;
    unreadable += anew.unreadable;
    if (typeof anew.value !== 'string') return sealed;
    isChanged = true;
    return anew.value;
  });
  return { value: isChanged ? JSON.stringify(document) : null, opened, unreadable };
}

export type Resealing = Readonly<{
  /** Handles a batch of rows, or ends a pass; true when there is nothing left to do for now. */
  step(): Promise<boolean>;
}>;

type ResealingInput = Readonly<{
  database: Database;
  columns: readonly SealedColumn[];
  sealingKey(...purposes: readonly string[]): SealingKey;
  /** The secret in use, whose row stays when the others are removed. */
  secretId: string;
  onDone(): void;
}>;

export function createResealing({ database, columns, sealingKey, secretId, onDone }: ResealingInput): Resealing {
  const walked = columns.map((column) => ({
    column,
    store: store.columnStore(column),
    key: sealingKey(...column.purposes),
  }));
  const isOver = async (transaction: Queryable, progress: readonly store.Progress[]): Promise<boolean> => {
    await store.forgetProgress(transaction);
    if (progress.some(({ sealed }) => sealed > 0n)) return false;
    await store.dropOtherRoots(transaction, secretId);
    return true;
  };
  return {
    async step() {
      const state = await store.alone(database, async (transaction) => {
        const progress = await store.readProgress(transaction);
        const done = new Map(progress.map((each) => [each.name, each]));
        const next = walked.find((each) => done.get(each.store.name)?.isDone !== true);
        if (next === undefined) return (await isOver(transaction, progress)) ? 'over' : 'going on';
        await batch(transaction, next, done.get(next.store.name)?.lastKey ?? null);
        return 'going on';
      });
      if (state === 'over') onDone();
      return state !== 'going on';
    },
  };
}

type Walked = Readonly<{ column: SealedColumn; store: store.ColumnStore; key: SealingKey }>;

async function batch(transaction: Queryable, walked: Walked, lastKey: readonly string[] | null): Promise<void> {
  const { column, key } = walked;
  const limit = column.rowsAtOnce ?? ROWS_AT_ONCE;
  const rows = await walked.store.read(transaction, lastKey, limit);
  let sealed = 0n;
  let unreadable = 0n;
  for (const { key: rowKey, row, value } of rows) {
    const anew = sealAnew({ column, row, value, key });
    if (anew.unreadable > 0) unreadable += 1n;
    if (anew.value === null) continue;
    await walked.store.write(transaction, rowKey, anew.value);
    sealed += 1n;
  }
  await store.advance(transaction, {
    name: walked.store.name,
    lastKey: rows.at(-1)?.key ?? lastKey,
    isDone: rows.length < limit,
    seen: BigInt(rows.length),
    sealed,
    unreadable,
  });
}
