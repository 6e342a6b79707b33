// Runs one call of a batch like any other, with the caller's key, limits and money, and without a client that could
// leave. A line whose earlier run died keeps its generation, so that it is charged once. A line that is handed to a
// provider is not answered here; it comes back with the provider's reply.

import { JSON_TYPE } from '../../canonical/answer.ts';
import type { Caller } from '../../canonical/caller.ts';
import type { HandedReply } from '../../canonical/handed-line.ts';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { ApiError } from '../../errors/api-error.ts';
import { asApiError, errorBody, errorStatus } from '../../http/error-response.ts';
import type { Exchange, RouteRow } from '../../http/exchange.ts';
import { RecordedResponse, type Recording, requestAgain } from '../../http/recorded-response.ts';
import type { Batches, DueLine, LineResult, LineTokens } from '../../modules/batches/batches.ts';
import type { Identity } from '../../modules/identity/identity.ts';
import type { Adjustments } from '../../modules/ledger/adjustments.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { Exposure } from '../../modules/limits/exposure.ts';
import type { Clock } from '../../platform/clock.ts';
import { openHeaded, packHeaded } from '../../platform/headed-bytes.ts';
import { newId } from '../../platform/ids.ts';
import type { JobHead } from './respond-later.ts';

export type LineServices = Readonly<{
  batches: Pick<Batches, 'answer' | 'postpone' | 'holdBack'>;
  identity: Pick<Identity, 'findCallerOfKey'>;
  ledger: Pick<Ledger, 'isCharged' | 'releaseDurable'>;
  adjustments: Pick<Adjustments, 'refund'>;
  exposure: Pick<Exposure, 'add'>;
  /** What a batch may call, by path. */
  batchRoutes: ReadonlyMap<string, RouteRow>;
  clock: Clock;
}>;

const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const ATTEMPTS_MAX = 5;
const FIRST_DELAY_MS = 1_000;
const DELAY_MS_MAX = 300_000;
/** The reasons of a refund. */
const LOST = 'the answer was lost with the process that got it';
const TOO_LARGE = 'the answer was too large to be kept';
/** Statuses of failures that may pass; a line with one is tried a limited number of times. */
const PASSING: ReadonlySet<number> = new Set([500, 502, 504]);
/** Statuses that say to come back later. Nothing was done, so a line waits as long as its batch has time. */
const TOO_SOON: ReadonlySet<number> = new Set([429, 503]);

type Outcome = Readonly<{ recording: Recording; isBroken: boolean; failure?: LineFailure }>;

type LineFailure = Readonly<{
  error: ApiError;
  /** The call was done and is paid for, although its answer is not shown. */
  isDone: boolean;
  /** Whose answer was larger than is kept: like one that is too large to be delivered, it counts as left unpaid. */
  askedTooMuch?: Pick<Caller, 'accountId' | 'userId'>;
}>;

export async function runLine(line: DueLine, services: LineServices): Promise<void> {
  const requestId = newId('req');
  const outcome = await outcomeOf(line, requestId, services);
  if (outcome === null) return;
  const { recording, isBroken, failure } = outcome;
  if (failure !== undefined) {
    const { error, isDone, askedTooMuch } = failure;
    // What was held for a line that a provider answered is held in vain, unless its end has been decided.
    if (line.reply !== undefined) await services.ledger.releaseDurable(line.generationId, 'its answer was not shown');
    // A line that a process charged before it died stays the same call at its next try, or it would be charged again.
    const isCharged = await services.ledger.isCharged(line.generationId);
    const delayMs = delayOf(line, error);
    // A line that is not charged waits, and is left when the time of its batch is over.
    const isTooLate = isCharged && line.expiresAtMs <= services.clock.nowMs();
    if (delayMs !== null && !isTooLate) return takeAnotherTurn({ line, error, delayMs, isCharged }, services);
    if (isCharged && askedTooMuch !== undefined) {
      const { refundedNanoUsd } = await services.adjustments.refund(line.generationId, TOO_LARGE);
      services.exposure.add(askedTooMuch, refundedNanoUsd, 'oversize');
    } else if (isCharged && !isDone) await services.adjustments.refund(line.generationId, LOST);
  }
  const isFailed = recording.status >= 400 || isBroken;
  await services.batches.answer(line, { isFailed, ...resultOf(line, recording, requestId) });
}

/**
 * How long the line waits for another try; null where this error is its end. A job's owner waits for it, so a job fails
 * as early as a call.
 */
function delayOf(line: DueLine, { status, isTerminal, retryAfterSeconds }: ApiError): number | null {
  const mayPass = (TOO_SOON.has(status) || PASSING.has(status)) && line.attempts < ATTEMPTS_MAX;
  if (isTerminal || !(mayPass || isHeldBack(line, status))) return null;
  const backoffMs = Math.min(FIRST_DELAY_MS * 2 ** line.attempts, DELAY_MS_MAX);
  return retryAfterSeconds === undefined ? backoffMs : retryAfterSeconds * 1_000;
}

const isHeldBack = ({ form }: DueLine, status: number): boolean => TOO_SOON.has(status) && form !== 'job';

type Turn = Readonly<{ line: DueLine; error: ApiError; delayMs: number; isCharged: boolean }>;

function takeAnotherTurn({ line, error, delayMs, isCharged }: Turn, { batches }: LineServices): Promise<void> {
  if (isHeldBack(line, error.status)) return batches.holdBack(line, delayMs, isCharged);
  return batches.postpone(line, delayMs, isCharged);
}

/** The result in the format of the batch. */
function resultOf(line: DueLine, recording: Recording, requestId: string): Omit<LineResult, 'isFailed'> {
  const { customId, form, generationId } = line;
  const { body: bytes, ...head } = recording;
  if (form === 'job') return { content: packHeaded(head, bytes), tokens: null };
  const body: unknown = JSON.parse(bytes.toString('utf8'));
  if (form === 'file') {
    const response = { status_code: head.status, request_id: requestId, body };
    const result = { id: `batch_req_${generationId}`, custom_id: customId, response, error: null };
    return { content: Buffer.from(JSON.stringify(result)), tokens: tokensIn(body) };
  }
  const result = head.status < 400 ? { type: 'succeeded', message: body } : { type: 'errored', error: body };
  // This format has no place for the cost.
  return { content: Buffer.from(JSON.stringify({ custom_id: customId, result })), tokens: null };
}

/** The token counts in an answer of ours, by the names of its format. */
function tokensIn(body: unknown): LineTokens {
  const usage = isJsonObject(body) && isJsonObject(body.usage) ? body.usage : null;
  if (usage === null) return null;
  const details = (...names: readonly string[]): JsonObject =>
    names.map((name) => usage[name]).find((value): value is JsonObject => isJsonObject(value)) ?? {};
  return {
    input: countOf(usage.prompt_tokens ?? usage.input_tokens),
    cached: countOf(details('prompt_tokens_details', 'input_tokens_details').cached_tokens),
    output: countOf(usage.completion_tokens ?? usage.output_tokens),
    reasoning: countOf(details('completion_tokens_details', 'output_tokens_details').reasoning_tokens),
  };
}

const countOf = (value: unknown): number => (Number.isSafeInteger(value) ? Number(value) : 0);

/** Null where another process has the line now. */
async function outcomeOf(line: DueLine, requestId: string, services: LineServices): Promise<Outcome | null> {
  const recorded = new RecordedResponse(ANSWER_BYTES_MAX);
  let isHanded = false;
  const handed = (): void => {
    isHanded = true;
  };
  const route = services.batchRoutes.get(line.endpoint);
  try {
    if (route === undefined) throw new ApiError('http_404', 'There is no such endpoint for batches.');
    const found = await services.identity.findCallerOfKey(line.keyId);
    const caller = line.reply === undefined ? usable(found) : (found ?? departed(line, line.reply));
    await route.handle(exchangeOf(line, { route, caller, recorded, requestId, handed }));
    if (isHanded) return null;
    const recording = recorded.recording();
    if (recording !== null) return { recording, isBroken: recorded.isBroken };
    return failed(route, { error: tooLarge(), isDone: true, askedTooMuch: caller });
  } catch (thrown) {
    const error = asApiError(thrown);
    // What keeps an answer back are the organization's own rules.
    return failed(route, { error, isDone: error.code === 'content_filter' });
  } finally {
    // Frees the files and listeners of the exchange.
    recorded.release();
  }
}

/** The call is not made again, because its answer would be as large. */
const tooLarge = (): ApiError =>
  new ApiError(
    'upstream_unavailable',
    'The answer is larger than the 16 MB that are kept, and costs nothing. Ask for less of it at once.',
    { isTerminal: true },
  );

const failed = (route: RouteRow | undefined, failure: LineFailure): Outcome => ({
  recording: recordingOf(failure.error, route),
  isBroken: false,
  failure,
});

function recordingOf(error: ApiError, route: RouteRow | undefined): Recording {
  const body = Buffer.from(JSON.stringify(errorBody(error, route?.errors)));
  const headers = ['Content-Type', JSON_TYPE, 'Content-Length', String(body.length)];
  return { status: errorStatus(error, route?.errors), headers, isFramed: false, body };
}

function usable(caller: Caller | null): Caller {
  if (caller === null) throw new ApiError('http_401', 'The key that the batch was made with is not valid any more.');
  if (caller.isSuspended)
    throw new ApiError('http_403', 'This account is suspended. Ask the operator of this gateway.');
  return caller;
}

/**
 * The caller of a line whose key has been deleted: a line that a provider has answered is shown and charged all the
 * same.
 */
const departed = ({ keyId, accountId }: DueLine, { userId }: HandedReply): Caller => ({
  ...{ keyId, keyType: 'standard', userId, accountId, isSuspended: false, expiresAtMs: null },
  ...{ allowedCidrs: [], hasFreeFallback: false, allowedModels: null, caps: [] },
});

type Parts = Readonly<{
  route: RouteRow;
  caller: Caller;
  recorded: RecordedResponse;
  requestId: string;
  handed(): void;
}>;

function exchangeOf(line: DueLine, { route, caller, recorded, requestId, handed }: Parts): Exchange {
  const { generationId, calledAtMs, batchId, lineNo, reply, network } = line;
  const { head, body } = requestOf(line);
  const { headers, queryText } = head;
  const url = queryText === '' ? route.path : `${route.path}?${queryText}`;
  return {
    request: requestAgain({ headers, method: 'POST', url }, body),
    response: recorded.asResponse(),
    requestId,
    route,
    startedMs: performance.now(),
    isBrowserRoute: false,
    params: {},
    queryText,
    headers: [],
    caller,
    resumed: { generationId, calledAtMs },
    ...(network === null ? {} : { orderedFrom: network }),
    // The owner of a job keeps asking for it, so a job is run at once and never handed over.
    ...(line.form === 'job' ? {} : { line: { batchId, lineNo, handed, ...(reply === undefined ? {} : { reply }) } }),
  };
}

/** A job is kept with the head of its request; the lines of other batches are bodies alone. */
function requestOf({ form, body }: DueLine): Readonly<{ head: JobHead; body: Buffer }> {
  if (form === 'job') return openHeaded<JobHead>(body);
  return { head: { headers: { 'content-type': 'application/json' }, queryText: '' }, body };
}
