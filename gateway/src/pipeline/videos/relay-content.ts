// Brings a finished video from its upstream to its owner, as fast as the owner reads. The gateway keeps no copy: it has
// a few reads in memory at a time, whatever the size of the file. An owner who reads nothing for a while is dropped,
// because the upstream's connection waits for them.

import type { IncomingHttpHeaders } from 'node:http';
import type { VideoJob } from '../../canonical/video-job.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { Exchange, HttpResponse } from '../../http/exchange.ts';
import { drained } from '../../http/framed-response.ts';
import { assert } from '../../platform/assert.ts';
import { asError } from '../../platform/logger.ts';
import { failureOfTransport, failureToApiError } from '../../upstreams/failure.ts';
import type { Flight, Receiver, TransportFailure } from '../../upstreams/transport/receiver.ts';
import {
  type AskedRange,
  isAnswerTo,
  parseContentRange,
  parseRange,
  rangeHeader,
  rangeWithin,
  unsatisfiedLength,
} from './byte-range.ts';
import { accessOf, type VideoAccessServices } from './upstream-access.ts';

const TIMEOUTS = { firstByteMs: 30_000, idleMs: 60_000, totalMs: 7_200_000 };
const FILE_BYTES_MAX = 64 * 1024 ** 3;

type ContentRequest = Readonly<{ exchange: Exchange; job: VideoJob; index: number }>;

export async function relayContent(input: ContentRequest, services: VideoAccessServices): Promise<void> {
  const { exchange, job, index } = input;
  const access = await accessOf(job, services);
  if (access === null) throw unavailable('the upstream of the job is gone');
  assert(job.upstreamJobId !== null, 'a finished job was made by an upstream');
  const isHead = exchange.route.method === 'HEAD';
  // For a HEAD only the length is wanted, and not every upstream answers HEAD, so one byte is asked for.
  const asked: AskedRange = isHead ? { kind: 'from', first: 0, last: 0 } : askedRange(input);
  const range = rangeHeader(asked);
  const path = access.questions.contentPath(job.upstreamJobId, index);
  const headers = ['accept', '*/*', ...(range === null ? [] : ['range', range])];
  const call = access.call(path, headers, { timeouts: TIMEOUTS, responseBytesMax: FILE_BYTES_MAX });
  await new Promise<void>((resolve, reject) => {
    const receiver = isHead
      ? new HeadReceiver(input, resolve, reject)
      : new FileReceiver(input, asked, resolve, reject);
    const flight = services.transport.send(call, receiver);
    receiver.flight = flight;
    new Presence(exchange.response).whenGone(() => {
      flight.cancel();
      resolve();
    });
  });
}

/** A client that resumes names the file that it has; its part is served only of that same file. */
function askedRange({ exchange, job, index }: ContentRequest): AskedRange {
  const { headers } = exchange.request;
  const condition = headers['if-range'];
  const isSame = condition === undefined || condition === entityTag(job, index) || condition === lastModified(job);
  return isSame ? parseRange(headers.range) : { kind: 'whole' };
}

function fileHeaders({ exchange, job, index }: ContentRequest): string[] {
  return exchange.headers.concat(
    ['Accept-Ranges', 'bytes', 'ETag', entityTag(job, index), 'Last-Modified', lastModified(job)],
    ['X-Content-Type-Options', 'nosniff'],
    ['Content-Disposition', `attachment; filename="${job.id}-${index}.mp4"`],
  );
}

const unavailable = (detail: string): ApiError =>
  new ApiError('upstream_unavailable', 'The provider did not deliver the video. Try again shortly.', { detail });

/** For an upstream that no longer has the file of a job it had finished. */
const gone = (): ApiError => new ApiError('http_404', 'The provider does not keep this video any more.');

function refusalOf(status: number): ApiError {
  return status === 404 || status === 410 ? gone() : unavailable(`status ${status}`);
}

class HeadReceiver implements Receiver {
  readonly #input: ContentRequest;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  flight: Flight | null = null;

  constructor(input: ContentRequest, resolve: () => void, reject: (error: Error) => void) {
    this.#input = input;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onStart(status: number, upstream: IncomingHttpHeaders): void {
    const type = typeOf(upstream['content-type']);
    this.flight?.cancel();
    if ((status !== 200 && status !== 206) || type === null) {
      this.#reject(refusalOf(status));
      return;
    }
    const length = wholeLength(status, upstream);
    const size = length === null ? [] : ['Content-Length', String(length)];
    this.#input.exchange.response.writeHead(200, [...fileHeaders(this.#input), 'Content-Type', type, ...size]).end();
    this.#resolve();
  }

  onData(): void {}

  onEnd(): void {}

  onFail(failure: TransportFailure): void {
    this.#reject(failureToApiError(failureOfTransport(failure)));
  }
}

class FileReceiver implements Receiver {
  readonly #input: ContentRequest;
  readonly #asked: AskedRange;
  readonly #resolve: () => void;
  readonly #reject: (error: Error) => void;
  #plan: ContentPlan | null = null;
  #toSkip = 0;
  #toSend = Number.POSITIVE_INFINITY;
  flight: Flight | null = null;

  constructor(input: ContentRequest, asked: AskedRange, resolve: () => void, reject: (error: Error) => void) {
    this.#input = input;
    this.#asked = asked;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onStart(status: number, upstream: IncomingHttpHeaders): void {
    try {
      const plan = planContent(status, upstream, this.#asked);
      if (plan === null) throw refusalOf(status);
      this.#plan = plan;
      this.#toSkip = plan.skip;
      if (plan.length !== null) this.#toSend = plan.length;
      this.#input.exchange.response.writeHead(plan.status, [...fileHeaders(this.#input), ...plan.headers]);
    } catch (error) {
      this.#stop();
      this.#reject(asError(error));
    }
  }

  onData(chunk: Buffer): void {
    if (this.#plan === null) {
      // The answer has no content for the client, so the rest is not read.
      this.#stop();
      return;
    }
    const skipped = Math.min(this.#toSkip, chunk.length);
    this.#toSkip -= skipped;
    const bytes = chunk.subarray(skipped, Math.min(chunk.length, skipped + this.#toSend));
    if (bytes.length > 0) this.#send(bytes);
    if (this.#toSend === 0) this.#finish();
  }

  #send(bytes: Buffer): void {
    const { response } = this.#input.exchange;
    this.#toSend -= bytes.length;
    if (response.write(bytes)) return;
    this.flight?.pause();
    void drained(response).then(() => this.flight?.resume());
  }

  onEnd(): void {
    if (this.#plan === null) return;
    // A transfer that ended early is cut, so that it does not look complete.
    if (this.#toSend > 0 && this.#plan.length !== null) this.#cut();
    else this.#finish();
  }

  onFail(failure: TransportFailure): void {
    if (this.#plan === null) this.#reject(failureToApiError(failureOfTransport(failure)));
    else this.#cut();
  }

  /** Usually only the end of the upstream's answer is left; reading it frees the connection for other calls. */
  #finish(): void {
    this.#plan = null;
    this.#input.exchange.response.end();
    this.#resolve();
  }

  #cut(): void {
    this.#input.exchange.response.destroy();
    this.#resolve();
  }

  #stop(): void {
    this.flight?.cancel();
    this.flight = null;
  }
}

// Turns the head of an upstream's answer into the head of ours, and says which of the bytes that follow belong to the
// client. An upstream may send the part or only the whole file: the client gets the part that it asked for either way.

type ContentPlan = Readonly<{
  status: 200 | 206;
  /** Names and values in turn. */
  headers: readonly string[];
  /** Bytes that come before the client's part. */
  skip: number;
  /** Null when the upstream does not say the length. */
  length: number | null;
}>;

const VIDEO_TYPE = 'video/mp4';
/** Content types that many servers use for any binary file. */
const PLAIN_TYPES = ['application/octet-stream', 'binary/octet-stream', 'application/mp4', 'application/binary'];
const VIDEO = /^video\/[a-z0-9.+-]{1,32}$/;
const DIGITS = /^\d{1,15}$/;

const entityTag = ({ id }: VideoJob, index: number): string => `"${id}-${index}"`;

const lastModified = ({ endedAtMs }: VideoJob): string => new Date(endedAtMs ?? 0).toUTCString();

/** Null when the answer cannot be used; throws the 416. */
function planContent(status: number, upstream: IncomingHttpHeaders, asked: AskedRange): ContentPlan | null {
  if (status === 416) throw unsatisfiable(unsatisfiedLength(upstream['content-range']));
  const type = typeOf(upstream['content-type']);
  if (type === null || (upstream['content-encoding'] ?? 'identity') !== 'identity') return null;
  if (status === 206) return planPart(upstream, asked, type);
  return status === 200 ? planWhole(upstream, asked, type) : null;
}

function planPart(upstream: IncomingHttpHeaders, asked: AskedRange, type: string): ContentPlan | null {
  const sent = parseContentRange(upstream['content-range']);
  if (sent === null || !isAnswerTo(asked, sent)) return null;
  if (asked.kind === 'invalid') throw unsatisfiable(sent.length);
  const length = sent.last - sent.first + 1;
  const range = `bytes ${sent.first}-${sent.last}/${sent.length ?? '*'}`;
  const headers = ['Content-Type', type, 'Content-Length', String(length), 'Content-Range', range];
  return { status: 206, headers, skip: 0, length };
}

function planWhole(upstream: IncomingHttpHeaders, asked: AskedRange, type: string): ContentPlan {
  const declared = upstream['content-length'] ?? '';
  const total = DIGITS.test(declared) ? Number(declared) : null;
  if (asked.kind === 'invalid') throw unsatisfiable(total);
  const isWhole = asked.kind === 'whole' || total === null;
  if (isWhole) {
    const size = total === null ? [] : ['Content-Length', String(total)];
    return { status: 200, headers: ['Content-Type', type, ...size], skip: 0, length: total };
  }
  const range = rangeWithin(asked, total);
  if (range === null) throw unsatisfiable(total);
  const length = range.last - range.first + 1;
  const sentRange = `bytes ${range.first}-${range.last}/${total}`;
  const headers = ['Content-Type', type, 'Content-Length', String(length), 'Content-Range', sentRange];
  return { status: 206, headers, skip: range.first, length };
}

/** The length of the whole file, for a question about it alone; null when the upstream does not say. */
function wholeLength(status: number, upstream: IncomingHttpHeaders): number | null {
  if (status === 206) return parseContentRange(upstream['content-range'])?.length ?? null;
  const declared = upstream['content-length'] ?? '';
  return status === 200 && DIGITS.test(declared) ? Number(declared) : null;
}

/** Null for a page or a text that is no video. */
function typeOf(header: string | undefined): string | null {
  const type = (header ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (PLAIN_TYPES.includes(type) || type === '') return VIDEO_TYPE;
  return VIDEO.test(type) ? type : null;
}

function unsatisfiable(length: number | null): ApiError {
  return new ApiError('http_416', 'The Range header asks for bytes that this video does not have.', {
    headers: { 'Content-Range': `bytes */${length ?? '*'}`, 'Accept-Ranges': 'bytes' },
  });
}

// Whether the client is still connected. There is one listener per call; the part of the code that has something to
// stop (a flight, a stream) sets it here, and replaces or clears it as the call moves on.

class Presence {
  #isGone: boolean;
  #onGone: (() => void) | null = null;

  constructor(response: HttpResponse) {
    // A client that left while the job was looked up has closed already, and is not heard of again.
    this.#isGone = response.destroyed;
    response.once('close', () => {
      // `close` also follows a normal end; then nothing is left to stop.
      if (response.writableFinished) return;
      this.#isGone = true;
      this.#onGone?.();
    });
  }

  /** Calls `stop` when the client leaves, at once if it has left already. */
  whenGone(stop: (() => void) | null): void {
    this.#onGone = stop;
    if (this.#isGone) stop?.();
  }
}
