// Reads the file of a new batch into lines. A reading that was cut off begins anew, and a line that is there already
// stays as it is; a batch that is cancelled meanwhile, or cannot be run, keeps no lines.

import type { Clock } from '../../platform/clock.ts';
import type { Database } from '../../platform/db/database.ts';
import type { Files } from './files.ts';
import { BadLineError, readLines } from './read-lines.ts';
import type { LineSeal } from './sealing.ts';
import { type BatchRow, beginBatch, endBatch, isUnread } from './store/batches.ts';
import { addLines, dropLines, type NewLine } from './store/lines.ts';

type ReadingParts = Readonly<{
  database: Database;
  clock: Clock;
  lineSeal: LineSeal;
  files: Pick<Files, 'read'>;
}>;

const ADDED_AT_ONCE = 500;

export async function readIn(batch: BatchRow, parts: ReadingParts): Promise<void> {
  const { database, clock } = parts;
  const { id } = batch;
  const now = (): Date => new Date(clock.nowMs());
  let lineCount = 0;
  try {
    for await (const lines of linesOf(batch, parts)) {
      await addLines(database, id, lines, now());
      lineCount += lines.length;
      if (!(await isUnread(database, id))) break;
    }
  } catch (error) {
    if (!(error instanceof BadLineError)) throw error;
    const end = { id, status: 'failed', errors: [error.problem], outputFileId: null, errorFileId: null } as const;
    await endBatch(database, { ...end, endedAt: now(), counts: null });
    await dropLines(database, id);
    return;
  }
  // Whoever ended the batch meanwhile has not seen the lines that were added since.
  if (!(await beginBatch(database, id, now(), lineCount))) await dropLines(database, id);
}

async function* linesOf(
  { id, endpoint, inputFileId }: BatchRow,
  { files, lineSeal }: ReadingParts,
): AsyncIterable<readonly NewLine[]> {
  let lines: NewLine[] = [];
  for await (const { lineNo, customId, body } of readLines(files.read(inputFileId), endpoint)) {
    lines.push({ lineNo, customId, request: lineSeal.seal(Buffer.from(body), { batchId: id, lineNo }) });
    if (lines.length < ADDED_AT_ONCE) continue;
    yield lines;
    lines = [];
  }
  if (lines.length > 0) yield lines;
}
