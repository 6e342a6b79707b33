// One call of a batch, run like any other: with the caller's key, limits and money, without a client that could leave. It
// goes on under its generation where an earlier run has died, so that it is charged once.

import type { Caller } from '../canonical/caller.ts';
import { ApiError } from '../errors/api-error.ts';
import { asApiError, errorBody } from '../http/error-response.ts';
import type { Exchange, RouteRow } from '../http/exchange.ts';
import { RecordedResponse, requestAgain } from '../http/recorded-response.ts';
import type { Batches, DueLine } from '../modules/batches/batches.ts';
import type { Identity } from '../modules/identity/identity.ts';
import { newId } from '../platform/ids.ts';

export type LineServices = Readonly<{
  batches: Pick<Batches, 'answer' | 'postpone'>;
  identity: Pick<Identity, 'findCallerOfKey'>;
  /** What a batch may call, by path. */
  batchRoutes: ReadonlyMap<string, RouteRow>;
}>;

const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const ATTEMPTS_MAX = 5;
const FIRST_DELAY_MS = 1_000;
/** What passes by itself: somebody is busy, or out of service for a while. */
const PASSING: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);

type Outcome = Readonly<{ status: number; body: unknown; isPassing: boolean }>;

export async function runLine(line: DueLine, services: LineServices): Promise<void> {
  const requestId = newId('req');
  const { status, body, isPassing } = await outcomeOf(line, requestId, services);
  if (isPassing && line.attempts < ATTEMPTS_MAX) {
    await services.batches.postpone(line, FIRST_DELAY_MS * 2 ** line.attempts);
    return;
  }
  await services.batches.answer(line, status >= 400, JSON.stringify(resultOf(line, { requestId, status, body })));
}

type Answered = Readonly<{ requestId: string; status: number; body: unknown }>;

function resultOf({ customId, form, generationId }: DueLine, { requestId, status, body }: Answered): object {
  if (form === 'file') {
    const response = { status_code: status, request_id: requestId, body };
    return { id: `batch_req_${generationId}`, custom_id: customId, response, error: null };
  }
  const result = status < 400 ? { type: 'succeeded', message: body } : { type: 'errored', error: body };
  return { custom_id: customId, result };
}

async function outcomeOf(line: DueLine, requestId: string, services: LineServices): Promise<Outcome> {
  const recorded = new RecordedResponse(ANSWER_BYTES_MAX);
  try {
    const route = services.batchRoutes.get(line.endpoint);
    if (route === undefined) throw new ApiError('http_404', 'There is no such endpoint for batches.');
    const caller = usable(await services.identity.findCallerOfKey(line.keyId));
    await route.handle(exchangeOf(line, { route, caller, recorded, requestId }));
    const recording = recorded.recording();
    if (recording === null) throw new ApiError('http_500', 'The answer is too large for a batch.');
    return { status: recording.status, body: JSON.parse(recording.body.toString('utf8')), isPassing: false };
  } catch (thrown) {
    const error = asApiError(thrown);
    const body = errorBody(error, services.batchRoutes.get(line.endpoint)?.errors);
    return { status: error.status, body, isPassing: PASSING.has(error.status) && !error.isTerminal };
  } finally {
    // Whatever belongs to the exchange is let go of.
    recorded.release();
  }
}

function usable(caller: Caller | null): Caller {
  if (caller === null) throw new ApiError('http_401', 'The key that the batch was made with is not valid any more.');
  if (caller.isSuspended) throw new ApiError('http_403', 'This account is suspended.');
  return caller;
}

type Parts = Readonly<{ route: RouteRow; caller: Caller; recorded: RecordedResponse; requestId: string }>;

function exchangeOf(line: DueLine, { route, caller, recorded, requestId }: Parts): Exchange {
  const { body, generationId, calledAtMs } = line;
  const headers = { 'content-type': 'application/json' };
  return {
    request: requestAgain({ headers, method: 'POST', url: route.path }, body),
    response: recorded.asResponse(),
    requestId,
    route,
    startedMs: performance.now(),
    isBrowserRoute: false,
    params: {},
    queryText: '',
    headers: [],
    caller,
    resumed: { generationId, calledAtMs },
  };
}
