// Archiving: a closed month leaves for a file. Whoever asks for it has the file already and names its digest; the database
// lets go of the charges only when the journal still gives the same digest and agrees with its checkpoints.

import { createHash } from 'node:crypto';
import { ApiError } from '../../errors/api-error.ts';
import type { Clock } from '../../platform/clock.ts';
import { errorCode } from '../../platform/db/connection-failure.ts';
import type { Queryable } from '../../platform/db/database.ts';
import { auditMonth } from './audit.ts';
import { finishArchive, listLines, markArchived, readArchiveState, removeCharges } from './store/archive.ts';
import { type JournalSpan, lockMonthsForWriting, readMonthSpan } from './store/audit/span.ts';
import { dropJournalMonth } from './store/partitions.ts';

const DAY_MS = 86_400_000;
/** Long after anything of the month can still be asked for by a journal. Calls younger than a month are never looked up. */
const AGE_MS = 62 * DAY_MS;
export const LINES_TOGETHER = 5_000;
const CHARGES_TOGETHER = 5_000;
const LOCK_TIMED_OUT = '55P03';
/** Then it answers, and is asked to go on. */
const ROUND_MS = 20_000;

export type Archived = Readonly<{
  /** Charges that were removed now. */
  removed: number;
  /** Nothing is left to remove. */
  isDone: boolean;
}>;

type ArchiveInput = Readonly<{ session: Queryable; clock: Clock; firstDay: string; sha256: string }>;

/** Of the lines of all its entries. */
async function digestOf(session: Queryable, span: JournalSpan): Promise<string> {
  const hash = createHash('sha256');
  for (let { afterId } = span; ; ) {
    const lines = await listLines(session, span, { afterId, limit: LINES_TOGETHER });
    for (const { line } of lines) hash.update(`${line}\n`);
    if (lines.length < LINES_TOGETHER) return hash.digest('hex');
    afterId = lines.at(-1)?.id ?? afterId;
  }
}

export async function archiveMonth(input: ArchiveInput): Promise<Archived> {
  const { session, clock, firstDay, sha256 } = input;
  if (!(await lockMonthsForWriting(session))) {
    throw new ApiError('http_409', 'Months are being checked or sealed at this moment. Try again later.');
  }
  const state = await readArchiveState(session, firstDay, { nowMs: clock.nowMs(), ageMs: AGE_MS });
  const span = await readMonthSpan(session, firstDay);
  if (state === null || span === null || !state.isSealed) {
    throw new ApiError('http_409', 'The month is not sealed.');
  }
  if (!state.isNext) throw new ApiError('http_409', 'A month before it is not archived. Begin with the oldest.');
  if (!state.isOld) throw new ApiError('http_409', `A month is archived ${AGE_MS / DAY_MS} days after its end.`);
  if (state.sha256 === null) await verify(input, span);
  else if (state.sha256 !== sha256) throw new ApiError('http_409', 'The month was archived with another digest.');
  return remove(input, span);
}

async function verify({ session, clock, firstDay, sha256 }: ArchiveInput, span: JournalSpan): Promise<void> {
  const audit = await auditMonth(session, firstDay, clock);
  if (audit === null || audit.discrepancies.length > 0) {
    throw new ApiError('http_409', `The month does not add up: ${audit?.discrepancies[0] ?? 'it is not closed'}.`);
  }
  const own = await digestOf(session, span);
  if (own !== sha256)
    throw new ApiError('http_409', `The journal has another digest, ${own}: the file is not complete.`);
  await markArchived(session, firstDay, sha256);
}

/** The month's partition goes at once; what of the month lies elsewhere is removed row by row. */
async function drop(session: Queryable, firstDay: string): Promise<bigint | null | 'busy'> {
  try {
    return await dropJournalMonth(session, firstDay);
  } catch (error) {
    if (errorCode(error) === LOCK_TIMED_OUT) return 'busy';
    throw error;
  }
}

async function remove({ session, clock, firstDay }: ArchiveInput, span: JournalSpan): Promise<Archived> {
  const startMs = clock.monotonicMs();
  const dropped = await drop(session, firstDay);
  if (dropped === 'busy') return { removed: 0, isDone: false };
  let total = Number(dropped ?? 0n);
  for (let { afterId } = span; clock.monotonicMs() - startMs < ROUND_MS; ) {
    const { removed, lastId } = await removeCharges(session, span, { afterId, limit: CHARGES_TOGETHER });
    total += Number(removed);
    if (lastId === null) {
      await finishArchive(session, firstDay);
      return { removed: total, isDone: true };
    }
    afterId = lastId;
  }
  return { removed: total, isDone: false };
}
