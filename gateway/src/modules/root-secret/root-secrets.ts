// The root secret and its replacement while any number of processes serve. The database lists the secrets that
// something may be sealed with, and a process that does not know all of them does not start. The first process that is
// started with a new secret announces it; it is used once all processes have it, so no process meets something that it
// cannot open.

import { deriveKey, open, seal } from '../../platform/crypto.ts';
import type { Database, Queryable } from '../../platform/db/database.ts';
import type { Logger } from '../../platform/logger.ts';
import { createRootSecret, derivePath, type RootSecret } from '../../platform/root-secret.ts';
import type { SealedColumn } from '../../platform/sealed-column.ts';
import { createResealing, type Resealing, sealAnew } from './seal-anew.ts';
import * as store from './store.ts';

export type SecretStatus = Readonly<{
  /** By id: the secret that this process was started with, and the one that it seals with. */
  secretId: string;
  previousId: string | null;
  inUseId: string;
  /** Whether something may still be sealed with the previous secret. */
  isPreviousNeeded: boolean;
  roots: readonly store.RootRow[];
  processes: readonly store.Holder[];
  columns: readonly store.Progress[];
}>;

export type RootSecrets = Readonly<{
  secret: RootSecret;
  /** Tells which secrets this process has, and throws where something was sealed meanwhile that it could not open. */
  join(processId: string): Promise<void>;
  /** Reads which secrets others have, changes over, and seals anew for a bounded time. */
  advance(processId: string): Promise<void>;
  status(): Promise<SecretStatus>;
}>;

/** Only the operator can repair this. */
export class RootSecretError extends Error {}

type RootSecretsInput = Readonly<{
  database: Database;
  secret: string;
  previous: string | null;
  columns: readonly SealedColumn[];
  logger: Logger;
}>;

const HASHING = 'hashing';
const ID_LENGTH = 16;
const SAMPLE_ROWS = 50;
/** Batches of rows in one go, some thousand rows; then the process does other things. */
const BATCHES_AT_ONCE = 200;

const idOf = (secret: string): string => deriveKey(secret, 'root-secret.id').toString('hex').slice(0, ID_LENGTH);
const ownKey = (secret: string): Buffer => deriveKey(secret, 'root-secret.hashing');

type Known = Readonly<{ id: string; secret: string }>;

export async function openRootSecrets(input: RootSecretsInput): Promise<RootSecrets> {
  const { database, secret, logger } = input;
  const own: Known = { id: idOf(secret), secret };
  const previous: Known | null = input.previous === null ? null : { id: idOf(input.previous), secret: input.previous };
  const known = previous === null || previous.id === own.id ? [own] : [own, previous];
  const opened = await database.transaction((transaction) => announce(transaction, known, input.columns));
  let inUse = opened.inUse;
  const root = createRootSecret(
    opened.hashing,
    known.map((each) => each.secret),
    () => inUse,
  );
  if (previous !== null && opened.isSettled) {
    logger.info({}, 'nothing needs TOLLGATE_SECRET_PREVIOUS any more: it can be removed');
  }
  const resealing = createResealing({
    ...{ database, columns: input.columns, secretId: own.id, sealingKey: root.sealingKey },
    onDone: () => logger.info({}, 'all is sealed with TOLLGATE_SECRET: TOLLGATE_SECRET_PREVIOUS can be removed'),
  });
  let reportedFor: string | null = null;
  const report = async (queryable: Queryable, processId: string): Promise<readonly store.RootRow[]> => {
    // The secret that it seals with is reported one round late, when everything sealed before the change has been
    // written.
    const { id: sealsWith } = known[inUse] as Known;
    await store.reportHolder(queryable, { processId, startedWith: own.id, sealsWith });
    reportedFor = processId;
    const rows = await store.listRoots(queryable);
    inUse = refuseUnknown(rows, known);
    return rows;
  };
  return {
    secret: root,
    async join(processId) {
      await database.transaction(async (transaction) => {
        await store.lockRoots(transaction);
        await report(transaction, processId);
      });
    },
    async advance(processId) {
      // With one secret there is nothing to wait for, but this process may have another id by now.
      if (known.length === 1 && reportedFor === processId) return;
      const rows = await report(database, processId);
      if (known.length > 1) await changeOver({ database, own, resealing, rows, isInUse: inUse === 0 }, logger);
    },
    status: () => readStatus(database, own, previous),
  };
}

type Opened = Readonly<{ hashing: string; inUse: number; isSettled: boolean }>;

/** Runs under a lock, because several processes may bring the same new secret at once. */
async function announce(
  transaction: Queryable,
  known: readonly Known[],
  columns: readonly SealedColumn[],
): Promise<Opened> {
  await store.lockRoots(transaction);
  const rows = await store.listRoots(transaction);
  const [own] = known as readonly [Known];
  if (rows.length === 0) {
    await expectOwnDatabase(transaction, known, columns);
    await store.addRoot(transaction, { id: own.id, hashing: sealHashing(own, own.secret), isUsed: true });
    return { hashing: own.secret, inUse: 0, isSettled: false };
  }
  const inUse = refuseUnknown(rows, known);
  const hashing = hashingOf(rows, known);
  if (!rows.some(({ id }) => id === own.id)) {
    await store.addRoot(transaction, { id: own.id, hashing: sealHashing(own, hashing), isUsed: false });
  }
  return { hashing, inUse, isSettled: rows.length === 1 && rows[0]?.id === own.id };
}

const sealHashing = ({ secret, id }: Known, hashing: string): string =>
  seal(ownKey(secret), hashing, `${HASHING} ${id}`);

function hashingOf(rows: readonly store.RootRow[], known: readonly Known[]): string {
  for (const each of known) {
    const row = rows.find(({ id }) => id === each.id);
    const hashing = row === undefined ? null : open(ownKey(each.secret), row.hashing, `${HASHING} ${each.id}`);
    if (hashing !== null) return hashing;
  }
  throw new RootSecretError('TOLLGATE_SECRET: the table root_secrets was altered: restore it from a backup');
}

/** The index of the known secret that is in use. */
function refuseUnknown(rows: readonly store.RootRow[], known: readonly Known[]): number {
  const used = rows.filter(({ isUsed }) => isUsed);
  if (used.every(({ id }) => known.some((each) => each.id === id))) {
    return known.findIndex((each) => each.id === used[0]?.id);
  }
  throw new RootSecretError(unknownMessage(used, known));
}

function unknownMessage(used: readonly store.RootRow[], [own, previous]: readonly Known[]): string {
  const isUsed = (each: Known | undefined): boolean => each !== undefined && used.some(({ id }) => id === each.id);
  if (isUsed(own)) {
    return previous === undefined
      ? 'TOLLGATE_SECRET_PREVIOUS: is needed: something is still sealed with the former secret. `tollgate secret status` says when it can be removed'
      : 'TOLLGATE_SECRET_PREVIOUS: is not the former secret of this database, which something is still sealed with';
  }
  if (isUsed(previous)) {
    return 'TOLLGATE_SECRET: another change of the secret is under way: let that one end first (`tollgate secret status`)';
  }
  return previous === undefined
    ? 'TOLLGATE_SECRET: is not the secret of this database. To change the secret, set TOLLGATE_SECRET_PREVIOUS to the former one as well'
    : 'TOLLGATE_SECRET_PREVIOUS: is not the secret of this database, and TOLLGATE_SECRET is not either';
}

/**
 * The first start stores the secret, and from then on no other is accepted, so a wrong one must not be stored first.
 */
async function expectOwnDatabase(
  transaction: Queryable,
  known: readonly Known[],
  columns: readonly SealedColumn[],
): Promise<void> {
  const [own, previous] = known as readonly [Known, Known?];
  if (previous !== undefined) {
    throw new RootSecretError(
      'TOLLGATE_SECRET_PREVIOUS: this database has not been started with this version yet. Start once with the present secret as TOLLGATE_SECRET alone, then change it',
    );
  }
  let isAnything = false;
  for (const column of columns) {
    const key = derivePath(own.secret, column.purposes);
    for (const { row, value } of await store.columnStore(column).readLast(transaction, SAMPLE_ROWS)) {
      const { opened, unreadable } = sealAnew({ column, row, value, key });
      if (opened > 0) return;
      if (unreadable > 0) isAnything = true;
    }
  }
  if (isAnything) {
    throw new RootSecretError(
      'TOLLGATE_SECRET: is not the secret of this database: it opens nothing that is stored there',
    );
  }
}

type Change = Readonly<{
  database: Database;
  own: Known;
  rows: readonly store.RootRow[];
  isInUse: boolean;
  resealing: Resealing;
}>;

async function changeOver({ database, own, rows, isInUse, resealing }: Change, logger: Logger): Promise<void> {
  if (!isInUse) {
    const isUsed = await database.transaction(async (transaction) => {
      // A process that starts meanwhile either is seen here or sees the change.
      await store.lockRoots(transaction);
      return store.useRoot(transaction, own.id);
    });
    if (isUsed) logger.info({}, 'all processes know TOLLGATE_SECRET: it is in use now');
    return;
  }
  if (!rows.some(({ id, isUsed }) => isUsed && id !== own.id)) return;
  if (!(await store.allSealWith(database, own.id))) return;
  for (let batches = 0; batches < BATCHES_AT_ONCE; batches += 1) if (await resealing.step()) return;
}

async function readStatus(database: Database, own: Known, previous: Known | null): Promise<SecretStatus> {
  const roots = await store.listRoots(database);
  return {
    secretId: own.id,
    previousId: previous?.id ?? null,
    inUseId: roots[0]?.id ?? own.id,
    isPreviousNeeded: roots.some(({ id, isUsed }) => isUsed && id !== own.id),
    roots,
    processes: await store.listHolders(database),
    columns: await store.readProgress(database),
  };
}
