// Jobs: single calls that are answered later. A job is a batch of one line, so that it is run, charged once and resumed
// as one; this file is what its owner can do with it. How many an account may have is bounded, because they use the
// operator's disk.

import { DAY_MS } from '../../canonical/calendar.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import { withRoom } from '../../platform/db/with-room.ts';
import { createSharedGate, LARGE_READS } from '../../platform/gate.ts';
import { jobIdOf, newJobId } from '../../platform/ids.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import type { Owner } from './files.ts';
import { type HasHadCredit, keptBounds } from './kept-bounds.ts';
import type { LineSeal } from './sealing.ts';
import { cancelBatch, insertBatch, removeBatch } from './store/batches.ts';
import * as store from './store/jobs.ts';
import { addLines, readAnswers } from './store/lines.ts';

export type Job = store.JobRow;
type JobSearch = store.JobSearch;

type NewJob = Owner &
  Readonly<{
    keyId: string;
    network: string;
    endpoint: string;
    request: Buffer;
    /** Called when the job is over. */
    callbackUrl: string | null;
    /** The generation of a call with an idempotency key: repeated, it is the same job. */
    generationId: string | null;
  }>;

export type Jobs = Readonly<{
  /** Null where the account has as many as it may. */
  create(job: NewJob): Promise<Job | null>;
  find(id: string, owner: Owner): Promise<Job | null>;
  list(search: JobSearch): Promise<readonly Job[]>;
  /** Null while there is none. */
  result(job: Job): Promise<Buffer | null>;
  /** A job that has not begun is dropped; one that is running ends, and is charged. */
  cancel(job: Job): Promise<void>;
  /** Of a job that is over. */
  remove(job: Job): Promise<void>;
}>;

const WINDOW_MS = DAY_MS;
const OPEN_MAX = 200;
const KEPT_MAX = 10_000n;
const COUNTED_FOR_MS = 10_000;
const ACCOUNTS_COUNTED_MAX = 10_000;
const ONLY_LINE = 1;

type JobsInput = Readonly<{ database: Database; clock: Clock; lineSeal: LineSeal; hasHadCredit: HasHadCredit }>;

export function createJobs({ database, clock, lineSeal, hasHadCredit }: JobsInput): Jobs {
  const reads = createSharedGate(LARGE_READS);
  const counted = new LoadingCache<boolean>({ clock, sizeMax: ACCOUNTS_COUNTED_MAX, ageMaxMs: COUNTED_FOR_MS });
  const keepsEnough = (accountId: string): boolean | Promise<boolean> =>
    counted.find(accountId, async () => {
      const { jobs, bytes } = await store.readKeptJobs(database, accountId);
      return jobs >= KEPT_MAX || bytes >= BigInt((await keptBounds(accountId, hasHadCredit)).jobBytes);
    });
  const find = (id: string, owner: Owner): Promise<Job | null> => store.findJob(database, id, owner);
  const keyOf = ({ id, accountId, userId }: Job) => ({ id, accountId, userId, form: 'job' }) as const;
  return {
    async create({ request, callbackUrl, generationId, ...job }) {
      const id = generationId === null ? newJobId() : jobIdOf(generationId);
      const known = generationId === null ? null : await find(id, job);
      if (known !== null) return known;
      if (await keepsEnough(job.accountId)) return null;
      const createdAt = new Date(clock.nowMs());
      const expiresAt = new Date(createdAt.getTime() + WINDOW_MS);
      const write = withRoom(database, job.accountId, async (transaction) => {
        if ((await store.countOpenJobs(transaction, job.accountId)) >= OPEN_MAX) return;
        await insertBatch(transaction, {
          ...{
            ...job,
            id,
            form: 'job',
            status: 'running',
            inputFileId: '',
            metadata: null,
            resultsKeptSeconds: null,
            lineCount: 1,
          },
          ...{ createdAt, begunAt: createdAt, expiresAt, dueAt: expiresAt },
        });
        const line = { lineNo: ONLY_LINE, customId: id };
        const sealed = lineSeal.seal(request, { batchId: id, lineNo: ONLY_LINE });
        await addLines(transaction, id, [{ ...line, request: sealed }], createdAt);
        if (callbackUrl !== null) await store.insertCallback(transaction, id, callbackUrl, createdAt);
      });
      await write.catch((error: unknown) => unlessMade(error, generationId === null ? null : find(id, job)));
      return find(id, job);
    },
    find,
    list: (search) => store.listJobs(database, search),
    async result(job) {
      const page = { afterLine: 0, limit: 1 };
      const read = () => readAnswers(database, job.id, ['succeeded', 'failed'], page);
      const [line] = await reads(job.accountId, read);
      if (line === undefined || line.answer === null) return null;
      return lineSeal.open(line.answer, { batchId: job.id, lineNo: ONLY_LINE });
    },
    async cancel(job) {
      await cancelBatch(database, keyOf(job), new Date(clock.nowMs()));
    },
    async remove(job) {
      await removeBatch(database, keyOf(job));
    },
  };
}

/** Where only the answer to the commit was lost, the job is there, and a second one would be charged too. */
async function unlessMade(error: unknown, made: Promise<Job | null> | null): Promise<void> {
  if (made === null || (await made) === null) throw error;
}
