// Request bodies. They are read only after the caller is known and has not used up the rate limit, so that a stranger
// cannot make the gateway hold ten megabytes.

import type { JsonObject } from '../canonical/json.ts';
import { isJsonObject } from '../canonical/json.ts';
import { ApiError } from '../errors/api-error.ts';
import { parseExactJson, parseExactJsonInTurns } from '../platform/exact-json.ts';
import { documentOf, type JsonDocument, keyFaultOf } from '../platform/json-document.ts';
import type { ScannedJson } from '../platform/json-scan.ts';
import { BodyTexts } from '../platform/known-texts.ts';
import { MemoryRoom, SMALL_BYTES_MAX, TakenRoom } from '../platform/memory-room.ts';
import { LongTask } from '../platform/turns.ts';
import type { Exchange, RouteRow } from './exchange.ts';
import { SLICE_BYTES, scanJson, scanLongJson } from './json-guard.ts';

/** Specification, Limits: 10 MB on all endpoints. */
export const BODY_BYTES_MAX = 10_485_760;

/** Management calls are few, and share one line for their long bodies and one share of the memory. */
const MANAGEMENT = 'management';

/** For all bodies of a process. A call takes two or three times the memory of its body. */
const BODIES_BYTES_MAX = 384 * 1024 * 1024;
const bodies = new MemoryRoom(BODIES_BYTES_MAX);
const NO_ROOM_RETRY_SECONDS = 5;

/** What large bodies of calls under way take. */
export const largeBodyBytes = (): number => bodies.heldBytes;

/** What one body takes, until the response to it is closed. */
class BodyRoom {
  readonly #exchange: Exchange;
  readonly #owner: string;
  #taken: TakenRoom | null = null;

  constructor(exchange: Exchange, owner: string) {
    this.#exchange = exchange;
    this.#owner = owner;
  }

  /** Throws a 503 where there is not so much room. */
  cover(bytes: number): void {
    const { response } = this.#exchange;
    // Nobody would hear of the end of a response that is over.
    if (response.destroyed) return;
    if (this.#taken === null) {
      const taken = new TakenRoom(bodies, this.#owner);
      response.once('close', () => taken.giveBack());
      this.#taken = taken;
    }
    if (this.#taken.cover(bytes)) return;
    const message = 'Too many large requests are under way for one more. Send fewer at once, or smaller ones.';
    throw new ApiError('http_503', message, { retryAfterSeconds: NO_ROOM_RETRY_SECONDS });
  }
}

export const bodyBytesMax = (route: RouteRow): number => route.bodyBytesMax ?? BODY_BYTES_MAX;

export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError('http_413', `The request body is larger than ${limitBytes} bytes. Send less at once.`);
}

/** Refuses a body that cannot be read, and sends `100 Continue` where the client waits for it. */
export function beginBody({ request, response }: Exchange): void {
  const encoding = request.headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ApiError('http_415', 'Compressed request bodies are not accepted. Send it without Content-Encoding.');
  }
  if (request.headers.expect !== undefined) response.writeContinue();
}

/**
 * The whole body. The server has already refused a declared length over the route's limit; here an undeclared one is
 * counted, and dropped as soon as it is over. Most bodies came with their head and are there at once.
 */
export function readBody(exchange: Exchange, owner = MANAGEMENT): Buffer | Promise<Buffer> {
  return readBodyAs(exchange, owner, (bytes) => bytes);
}

/** The whole body of a call that keeps it in memory, so it is limited here even where the route allows more. */
export function readUsualBody(exchange: Exchange, owner: string): Buffer | Promise<Buffer> {
  const limited = { ...exchange.route, bodyBytesMax: Math.min(bodyBytesMax(exchange.route), BODY_BYTES_MAX) };
  return readBody({ ...exchange, route: limited }, owner);
}

/**
 * What `read` makes of the whole body; one promise for both, where there is a wait at all. A large body takes of its
 * owner's share of memory until its call is over.
 */
export function readBodyAs<Result>(
  exchange: Exchange,
  owner: string,
  read: (bytes: Buffer) => Result | Promise<Result>,
): Result | Promise<Result> {
  beginBody(exchange);
  const { request } = exchange;
  const limitBytes = bodyBytesMax(exchange.route);
  const first: Buffer | null = request.read();
  if (first === null) return readRest(exchange, owner, [], read);
  if (first.length > limitBytes) throw bodyTooLarge(limitBytes);
  // Node reports a request as complete only one turn later; its parser never passes more bytes than were declared.
  const isWhole = first.length === Number(request.headers['content-length']);
  return isWhole ? read(first) : readRest(exchange, owner, [first], read);
}

function readRest<Result>(
  exchange: Exchange,
  owner: string,
  chunks: Buffer[],
  read: (bytes: Buffer) => Result | Promise<Result>,
): Promise<Result> {
  return new Promise((resolve, reject) => {
    const { request } = exchange;
    const limitBytes = bodyBytesMax(exchange.route);
    const room = new BodyRoom(exchange, owner);
    const declaredBytes = Number(request.headers['content-length']);
    let whole: Buffer | null = null;
    let length = chunks[0]?.length ?? 0;
    const endedEarly = (): void => {
      stop();
      reject(new ApiError('http_400', 'The request body ended early. Send it again.'));
    };
    const onData = (chunk: Buffer): void => {
      try {
        const cameBytes = length + chunk.length;
        if (cameBytes > limitBytes) throw bodyTooLarge(limitBytes);
        const takenBytes = cameBytes * AHEAD_FACTOR >= declaredBytes ? declaredBytes : cameBytes;
        if (takenBytes > SMALL_BYTES_MAX) room.cover(takenBytes);
      } catch (error) {
        stop();
        chunks.length = 0;
        reject(error);
        return;
      }
      if (whole !== null) chunk.copy(whole, length);
      else chunks.push(chunk);
      length += chunk.length;
      if (whole === null && length * AHEAD_FACTOR >= declaredBytes) whole = join(chunks, declaredBytes);
    };
    const onEnd = (): void => {
      stop();
      try {
        resolve(read(whole === null ? Buffer.concat(chunks, length) : whole.subarray(0, length)));
      } catch (error) {
        reject(error);
      }
    };
    const stop = (): void => {
      request.off('data', onData);
      request.off('end', onEnd);
      request.off('close', endedEarly);
    };
    // A client that left while its key was looked up does not send a second close event.
    if (request.destroyed) {
      endedEarly();
      return;
    }
    request.on('data', onData);
    request.on('end', onEnd);
    request.on('close', endedEarly);
  });
}

/**
 * A body is put together as it comes, because megabytes that are copied at its end would keep other calls waiting.
 * Memory for the whole of it is taken when this part of it is there, so that a stranger cannot claim it with a header.
 */
const AHEAD_FACTOR = 4;

function join(chunks: Buffer[], declaredBytes: number): Buffer {
  const whole = Buffer.allocUnsafe(declaredBytes);
  let length = 0;
  for (const chunk of chunks) length += chunk.copy(whole, length);
  chunks.length = 0;
  return whole;
}

/** The body as a JSON object. Integers beyond 2^53 arrive as bigint, so that nothing is lost on the way upstream. */
export async function readJsonBody(exchange: Exchange, owner = MANAGEMENT): Promise<JsonObject> {
  return (await readBodyAs(exchange, owner, (bytes) => readDocument(bytes, owner))).json;
}

/** Some editors put a byte order mark before the first character; it means nothing in UTF-8. */
const withoutMark = (bytes: Buffer): Buffer =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? bytes.subarray(3) : bytes;

/** The object with its bytes, for code that passes them on; at once where it is small, else in turns of its owner. */
export function readDocument(body: Buffer, owner: string): JsonDocument | Promise<JsonDocument> {
  const bytes = withoutMark(body);
  if (bytes.length === 0) throw new ApiError('http_400', 'The request body is empty; a JSON object is expected.');
  if (bytes.length > SLICE_BYTES) return readInTurns(bytes, owner);
  const scanned = scanJson(bytes);
  const texts = scanned.spans.length === 0 ? null : new BodyTexts(owner);
  try {
    return checkedDocument(parseExactJson(bytes, scanned.spans, texts), bytes, scanned, texts);
  } catch (error) {
    return refuse(error);
  }
}

/** Checking what came of a long text cannot be done in slices, so it has a turn of its own. */
async function readInTurns(bytes: Buffer, owner: string): Promise<JsonDocument> {
  const task = new LongTask(owner, SLICE_BYTES);
  const texts = new BodyTexts(owner);
  const scanned = await scanLongJson(bytes, task);
  const value = await parseExactJsonInTurns(bytes, scanned.spans, task, texts).catch(refuse);
  await task.before(task.pieceMax);
  return checkedDocument(value, bytes, scanned, texts);
}

function checkedDocument(value: unknown, bytes: Buffer, scanned: ScannedJson, texts: BodyTexts | null): JsonDocument {
  if (!isJsonObject(value)) throw new ApiError('http_400', 'The request body must be a JSON object.');
  const fault = keyFaultOf(value, scanned);
  if (fault === 'prototype') throw new ApiError('http_400', 'The key "__proto__" is not allowed in JSON.');
  return documentOf(value, bytes, fault === 'repeated' ? { ...scanned, marks: null } : scanned, texts);
}

function refuse(error: unknown): never {
  if (!(error instanceof SyntaxError)) throw error;
  throw new ApiError('http_400', 'The request body is not valid JSON.', { cause: error });
}
