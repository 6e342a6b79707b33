// Calls with an `Idempotency-Key`: the same key with the same body gets the same answer for a day and is charged once,
// also while the first still runs, also when its client has left or its process has died. Calls without the header pass
// straight through. What fails without a charge is not kept: asked again, it is tried again, as another call; what fails
// with one stays the same call.

import type { Caller } from '../../canonical/caller.ts';
import { ApiError } from '../../errors/api-error.ts';
import { beginBody, readUsualBody } from '../../http/body.ts';
import { errorBody, errorStatus, ownErrorHeaders } from '../../http/error-response.ts';
import type { Exchange, Handler, RouteRow } from '../../http/exchange.ts';
import { RecordedResponse, type Recording, replay, requestAgain } from '../../http/recorded-response.ts';
import type { Ledger } from '../../modules/ledger/ledger.ts';
import type { ClaimedCall, KeptAnswer, RepeatName, Repeats } from '../../modules/repeats/repeats.ts';
import type { Clock } from '../../platform/clock.ts';
import { asError, type Logger } from '../../platform/logger.ts';
import { TakenRoom } from '../../platform/memory-room.ts';
import { type AdmissionServices, refuseRestricted } from '../admit.ts';
import { type AnswerRoom, takeUntilClosed } from '../answer-room.ts';
import { type AuthenticationServices, authenticate } from '../authenticate.ts';
import { asksForJob } from '../later/respond-later.ts';
import { limitRate, type RateServices } from '../limit-rate.ts';

type OnceServices = AuthenticationServices &
  RateServices &
  AdmissionServices &
  Readonly<{
    repeats: Repeats;
    ledger: Pick<Ledger, 'isCharged'>;
    answerRoom: AnswerRoom;
    clock: Clock;
    logger: Logger;
  }>;

const HEADER = 'idempotency-key';
const KEY = /^[\x20-\x7e]{1,255}$/;
const REPLAYED: readonly string[] = ['Idempotent-Replayed', 'true'];
/** An answer beyond this is given once, and cannot be repeated. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024;
const FIRST_LOOK_MS = 50;
const LOOK_MS_MAX = 1_000;
const FULL_RETRY_SECONDS = 600;

/** The calls that run in this process, by their names. */
type Running = Map<string, Readonly<{ bodyDigest: string; recorded: RecordedResponse }>>;

/** Wraps a handler that calls a model. */
export type Once = (handle: Handler) => Handler;

export function createOnce(services: OnceServices): Once {
  const running: Running = new Map();
  return (handle) => (exchange) =>
    exchange.request.headers[HEADER] === undefined
      ? handle(exchange)
      : runOnce({ exchange, handle, running }, services);
}

type Wanted = Readonly<{ exchange: Exchange; handle: Handler; running: Running }>;

async function runOnce(wanted: Wanted, services: OnceServices): Promise<void> {
  const { exchange } = wanted;
  const idempotencyKey = readKey(exchange);
  const caller = await authenticate(exchange, services);
  await limitRate(exchange, caller, services);
  refuseRestricted(caller, services);
  const { accountId } = caller;
  const recorded = new RecordedResponse(ANSWER_BYTES_MAX, { room: new TakenRoom(services.answerRoom, accountId) });
  beginBody(exchange);
  let claimed: Claimed | null = null;
  try {
    // The body takes room until the call is over, because the call goes on when its client leaves.
    const body = await readUsualBody({ ...exchange, response: recorded.asResponse() }, accountId);
    claimed = await claim(wanted, { caller, body, idempotencyKey, recorded }, services);
  } finally {
    if (claimed === null) recorded.fail(null);
  }
  if (claimed !== null) await runHere(wanted, claimed, services);
}

type Asked = Readonly<{ caller: Caller; body: Buffer; idempotencyKey: string; recorded: RecordedResponse }>;
type Claimed = Asked & Readonly<{ name: RepeatName; call: ClaimedCall }>;

/** Null where the client has been given the answer of an earlier call, or has left. */
async function claim({ exchange, running }: Wanted, asked: Asked, services: OnceServices): Promise<Claimed | null> {
  const { caller, body, idempotencyKey } = asked;
  const { accountId, keyId } = caller;
  const pieces = [exchange.route.path, ...comparable(exchange, body)];
  const name = services.repeats.nameOf({ accountId, keyId, idempotencyKey, body: pieces });
  const take = (bytes: number): void => takeUntilClosed(services.answerRoom, accountId, bytes, exchange.response);
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = Math.min(waitMs * 2, LOOK_MS_MAX)) {
    const here = running.get(name.id);
    if (here !== undefined && here.bodyDigest !== name.bodyDigest) throw otherBody();
    if (here?.recorded.isFollowable) {
      await here.recorded.follow(exchange, REPLAYED);
      return null;
    }
    const state = await services.repeats.claim(name);
    if (state.kind === 'mine') return { ...asked, name, call: state.call };
    if (state.kind === 'other-body') throw otherBody();
    if (state.kind === 'full') throw full();
    if (state.kind === 'answered') {
      sendAgain(exchange, state.answer, take);
      return null;
    }
    await services.clock.sleep(waitMs);
    if (exchange.response.destroyed) return null;
  }
}

/** The client that asked first follows the recorded answer like those that repeat; the call goes on when it leaves. */
function runHere({ exchange, handle, running }: Wanted, claimed: Claimed, services: OnceServices): Promise<void> {
  const { caller, body, name, call, recorded } = claimed;
  running.set(name.id, { bodyDigest: name.bodyDigest, recorded });
  const following = recorded.follow(exchange);
  const { generationId, calledAtMs } = call;
  const inner: Exchange = {
    ...exchange,
    request: requestAgain(exchange.request, body),
    response: recorded.asResponse(),
    headers: [],
    caller,
    resumed: { generationId, calledAtMs },
  };
  void runToEnd(inner, { handle, recorded, call }, services).finally(() => running.delete(name.id));
  return following;
}

type Run = Readonly<{ handle: Handler; recorded: RecordedResponse; call: ClaimedCall }>;

async function runToEnd(inner: Exchange, { handle, recorded, call }: Run, services: OnceServices): Promise<void> {
  const { repeats, logger } = services;
  /**
   * When the row cannot be written, the runner soon counts as dead; a repeat runs the call again, and it is still
   * charged once.
   */
  const write = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      logger.warn({ error: asError(error) }, 'the state of a repeatable call was not kept');
    });
  try {
    await handle(inner);
  } catch (error) {
    await write(leave(call, blockedAnswer(error, inner.route), services));
    recorded.fail(error);
    return;
  }
  const isAnswer = recorded.writableEnded && recorded.statusCode < 300 && !recorded.isBroken;
  await write(isAnswer ? repeats.finish(call, keptOf(recorded.recording())) : leave(call, null, services));
  recorded.release();
}

/**
 * Ends a call that has no answer. Charged by a process that died, or by this one before it failed, it stays the same
 * call for the next request, because another one would be charged again.
 */
async function leave(
  call: ClaimedCall,
  blocked: Recording | null,
  { repeats, ledger }: Pick<OnceServices, 'repeats' | 'ledger'>,
): Promise<void> {
  const isCharged = await ledger.isCharged(call.generationId).catch(() => true);
  if (!isCharged) await repeats.abandon(call);
  else if (blocked === null) await repeats.rest(call);
  else await repeats.finish(call, keptOf(blocked));
}

/** What keeps an answer back are the organization's own rules, so it has been paid for: asked again, it is the same. */
function blockedAnswer(error: unknown, route: RouteRow): Recording | null {
  if (!(error instanceof ApiError) || error.code !== 'content_filter') return null;
  const body = Buffer.from(JSON.stringify(errorBody(error, route.errors)));
  const headers = ownErrorHeaders(route, error, body.length);
  return { status: errorStatus(error, route.errors), headers, isFramed: false, body };
}

function keptOf(recording: Recording | null): KeptAnswer | null {
  if (recording === null) return null;
  const { body, ...head } = recording;
  return { head: JSON.stringify(head), body };
}

function sendAgain(exchange: Exchange, answer: KeptAnswer | null, take: (bytes: number) => void): void {
  if (answer === null) {
    throw new ApiError(
      'http_409',
      'This call has been answered and charged, but its answer was too large to be kept. Use a new Idempotency-Key to call again.',
      {
        isTerminal: true,
      },
    );
  }
  take(answer.body.length);
  const head = JSON.parse(answer.head) as Omit<Recording, 'body'>;
  replay(exchange, { ...head, body: answer.body }, REPLAYED);
}

function readKey({ request }: Exchange): string {
  const key = request.headers[HEADER];
  if (typeof key === 'string' && KEY.test(key)) return key;
  throw new ApiError('http_400', 'Idempotency-Key must be 1 to 255 printable characters.');
}

const BOUNDARY = /boundary="?([^";]+)"?/i;

/**
 * Clients make up a new multipart boundary each time they send a form, so the boundary is left out of the comparison.
 */
function comparable({ request }: Exchange, body: Buffer): readonly (string | Buffer)[] {
  const type = request.headers['content-type'] ?? '';
  const boundary = BOUNDARY.exec(type)?.[1];
  // A client that waits for an answer can do nothing with a job, so asking for one is another request.
  const wish = asksForJob(request) ? ['respond-async'] : [];
  if (boundary === undefined) return [...wish, type, body];
  return [...wish, type.replace(boundary, ''), body.toString('latin1').replaceAll(boundary, '')];
}

const otherBody = (): ApiError =>
  new ApiError('http_409', 'This Idempotency-Key was used with another request. Use a new key for a new request.', {
    isTerminal: true,
  });

const full = (): ApiError =>
  new ApiError(
    'http_429',
    'Too many answers are kept for this account: 256 MB within a day, or 32 MB before its first credit. Send fewer calls with an Idempotency-Key.',
    { retryAfterSeconds: FULL_RETRY_SECONDS },
  );
