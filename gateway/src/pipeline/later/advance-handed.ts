// Moves a batch at a provider's own batch interface on by one step: sends it when it is complete, asks for its state,
// and takes its results back line by line. The process that has claimed the batch calls this; any step can be repeated
// by another process.

import type { Handed, HandedBatch, NamedLine } from '../../modules/batches/handed.ts';
import type { Logger } from '../../platform/logger.ts';
import type { BatchInterface, BatchResult, StreamedBody } from '../../upstreams/protocol.ts';
import { type AccessServices, accessOf, type BatchAccess, BrokenResultsError } from './batch-access.ts';
import { type LineServices, runLine } from './run-line.ts';

export type AdvanceServices = AccessServices & LineServices & Readonly<{ handed: Handed; logger: Logger }>;

/** With the waits between tries this is a quarter of an hour. */
const TRIES_MAX = 20;
const RESULTS_AT_ONCE = 8;
/** The provider's clock and ours may differ by this much. */
const SKEW_MS = 60_000;
/** Statuses after which the same question may succeed a moment later. */
const PASSING: ReadonlySet<number> = new Set([0, 401, 403, 408, 409, 425, 429]);
const GONE: ReadonlySet<number> = new Set([404, 410]);

export async function advanceHanded(batch: HandedBatch, services: AdvanceServices): Promise<void> {
  // A process died, or lost the database, while it gave the lines back.
  if (batch.state === 'refused') return giveUp(batch, services);
  const access = accessOf(batch.providerName, services);
  if (access === null) return tryAgain(batch, services);
  switch (batch.state) {
    case 'open': {
      const closed = await services.handed.close(batch);
      if (closed !== null) await submit(closed, access, services);
      return;
    }
    case 'sending': {
      const upstreamId = await search(batch, access, services);
      if (upstreamId === null) await submit(batch, access, services);
      else if (upstreamId === 'unknown') await tryAgain(batch, services);
      else await services.handed.sent(batch, upstreamId);
      return;
    }
    case 'sent':
      return check(batch, access, services);
    default:
      return;
  }
}

/**
 * Looks for a batch whose creation was not answered: the provider may have it. Null when it does not, `unknown` when it
 * cannot tell.
 */
async function search(
  { id, providerName, lineCount, createdAt }: HandedBatch,
  { batches, get }: BatchAccess,
  { handed }: AdvanceServices,
): Promise<string | null> {
  const { status, body } = await get(batches.listPath);
  if (status !== 200) return 'unknown';
  for (const listed of batches.readList(body)) {
    if (listed.ownId === id) return listed.upstreamId;
    const isLike = listed.lineCount === lineCount && listed.createdAtMs >= createdAt.getTime() - SKEW_MS;
    if (listed.ownId !== null || !isLike) continue;
    if (!(await handed.isKnown(providerName, listed.upstreamId))) return listed.upstreamId;
  }
  return null;
}

async function submit(batch: HandedBatch, access: BatchAccess, services: AdvanceServices): Promise<void> {
  const { batches, post } = access;
  const content = await contentOf(batch, batches, services.handed);
  let uploadId = '';
  if (batches.upload !== undefined) {
    const { status, body } = await post(batches.upload(content));
    uploadId = isGood(status) ? (batches.readId(body) ?? '') : '';
    if (uploadId === '') return refused(batch, status, services);
  }
  const { status, body } = await post(batches.create({ id: batch.id, path: batch.path, content, uploadId }));
  const upstreamId = isGood(status) ? batches.readId(body) : null;
  if (upstreamId === null) return refused(batch, status, services);
  await services.handed.sent(batch, upstreamId);
}

const isGood = (status: number): boolean => status >= 200 && status <= 299;

/** A batch that the provider does not take is run here, line by line. */
async function refused(batch: HandedBatch, status: number, services: AdvanceServices): Promise<void> {
  if (isGood(status) || PASSING.has(status) || status >= 500) return tryAgain(batch, services);
  services.logger.warn({ handedId: batch.id, provider: batch.providerName, status }, 'a provider did not take a batch');
  await giveUp(batch, services);
}

async function tryAgain(batch: HandedBatch, services: AdvanceServices): Promise<void> {
  if (batch.tries < TRIES_MAX) return services.handed.again(batch);
  services.logger.warn({ handedId: batch.id, provider: batch.providerName }, 'a batch was given up');
  await giveUp(batch, services);
}

/** Gives the batch up; none of its lines is handed to this provider again. */
async function giveUp(batch: HandedBatch, services: AdvanceServices): Promise<void> {
  await services.handed.refuse(batch);
  await giveBackAll(batch, services);
  await services.handed.end(batch, 'refused');
}

async function giveBackAll(batch: HandedBatch, services: AdvanceServices): Promise<void> {
  for await (const line of services.handed.lines(batch)) await giveBack(batch, line, services);
}

async function giveBack(batch: HandedBatch, line: NamedLine, { handed, ledger }: AdvanceServices): Promise<void> {
  const isReleased = await ledger.releaseDurable(line.generationId, 'not run by the provider');
  await handed.giveBack(batch, line, !isReleased && (await ledger.isCharged(line.generationId)));
}

/** Reads the lines twice, because the length has to be announced before the content. */
async function contentOf(batch: HandedBatch, batches: BatchInterface, handed: Handed): Promise<StreamedBody> {
  const open = (): AsyncIterable<Buffer> => pieces(batch, batches, handed);
  let byteLength = 0;
  for await (const piece of open()) byteLength += piece.length;
  return { byteLength, open };
}

async function* pieces(batch: HandedBatch, batches: BatchInterface, handed: Handed): AsyncIterable<Buffer> {
  const { opening, between, closing } = batches.frame;
  let lead = opening;
  for await (const { lineNo, body } of handed.lines(batch)) {
    yield Buffer.concat([Buffer.from(lead), batches.encodeLine(nameOf(batch, lineNo), batch.path, body)]);
    lead = between;
  }
  yield Buffer.from(closing);
}

const nameOf = ({ id }: HandedBatch, lineNo: number): string => `${id}_${lineNo}`;

/** Null for a line that belongs to another batch. */
function lineNoOf({ id }: HandedBatch, customId: string): number | null {
  return customId.startsWith(`${id}_`) ? Number(customId.slice(id.length + 1)) : null;
}

async function check(batch: HandedBatch, access: BatchAccess, services: AdvanceServices): Promise<void> {
  const { batches, get, post } = access;
  const upstreamId = batch.upstreamId ?? '';
  const { status, body } = await get(batches.statusPath(upstreamId));
  const found = status === 200 ? batches.readStatus(body) : null;
  if (found?.state === 'refused' || services.handed.isOverdue(batch)) return giveUp(batch, services);
  // The provider goes on working while it cannot be asked.
  if (found === null) return GONE.has(status) ? tryAgain(batch, services) : services.handed.again(batch);
  if (found.state === 'running') {
    if (await services.handed.isCancelled(batch)) await post({ path: batches.cancelPath(upstreamId), body: '{}' });
    return services.handed.wait(batch);
  }
  await conclude(batch, access, found.resultPaths, services);
}

/** Takes the results; lines without one are run here. */
async function conclude(
  batch: HandedBatch,
  access: BatchAccess,
  resultPaths: readonly string[],
  services: AdvanceServices,
): Promise<void> {
  try {
    for (const path of resultPaths) await takeResults(batch, access, path, services);
  } catch (error) {
    if (!(error instanceof BrokenResultsError)) throw error;
    services.logger.warn({ handedId: batch.id, detail: error.message }, 'results could not be read to their end');
    await services.handed.again(batch);
    return;
  }
  await giveBackAll(batch, services);
  await services.handed.end(batch, 'over');
}

/** Takes several results at a time, in the order in which they come. The first that fails ends it. */
async function takeResults(
  batch: HandedBatch,
  { batches, lines }: BatchAccess,
  path: string,
  services: AdvanceServices,
): Promise<void> {
  const underWay = new Set<Promise<void>>();
  // Caught at once: while more results are read nobody waits for those under way, and a failure that nobody waits for
  // would end the process.
  const failures: unknown[] = [];
  try {
    for await (const line of lines(path)) {
      const result = batches.readResult(line);
      if (result === null) continue;
      const taking = takeResult(batch, result, services)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => underWay.delete(taking));
      underWay.add(taking);
      if (underWay.size >= RESULTS_AT_ONCE) await Promise.race(underWay);
      if (failures.length > 0) break;
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failures.length > 0) throw failures[0];
}

async function takeResult(batch: HandedBatch, result: BatchResult, services: AdvanceServices): Promise<void> {
  const lineNo = lineNoOf(batch, result.customId);
  const returned = lineNo === null ? null : await services.handed.take(batch, lineNo);
  if (lineNo === null || returned === null) return;
  const { line, handed } = returned;
  const { status, body } = result;
  if (status === 0) return giveBack(batch, line, services);
  await runLine({ ...line, reply: { ...handed, status, body } }, services);
  await services.handed.drop(batch, lineNo);
}
