// Records the requests that arrived, so that a test can check what was sent and whether the client stayed to the end.
// The memory is bounded in number and in bytes; the oldest are dropped first.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { type Form, parseForm } from './form.ts';

const BYTES_MAX = 64 * 1024 * 1024;

export type RecordedRequest = Readonly<{
  method: string;
  /** With its query. */
  path: string;
  headers: IncomingHttpHeaders;
  /** Empty until the whole body has arrived. */
  body: string;
  /** The body parsed, or undefined when it is not JSON. */
  json: unknown;
  /** The body as a form with files, or undefined when it is none. */
  form: Form | undefined;
  /** When the request's headers had arrived, in milliseconds since the epoch. */
  at: number;
  /** When the exchange was over, whichever side ended it; undefined while it lasts. */
  closedAt: number | undefined;
  /** True when the client went away before the answer was complete. A fault on our side does not count. */
  isAborted: boolean;
}>;

export class RequestRecord implements RecordedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly at = Date.now();
  closedAt: number | undefined;
  isAborted = false;
  /** True while the recorder keeps it and counts its bytes. */
  isKept = false;
  #bytes: Buffer = Buffer.alloc(0);
  #isEndedByFault = false;

  constructor(request: IncomingMessage) {
    this.method = request.method ?? 'GET';
    this.path = request.url ?? '/';
    this.headers = request.headers;
  }

  get body(): string {
    return this.#bytes.toString();
  }

  get json(): unknown {
    try {
      return JSON.parse(this.body);
    } catch {
      return undefined;
    }
  }

  get form(): Form | undefined {
    return parseForm(this.headers['content-type'], this.#bytes);
  }

  get byteCount(): number {
    return this.#bytes.length;
  }

  setBody(bytes: Buffer): void {
    this.#bytes = bytes;
  }

  endedByFault(): void {
    this.#isEndedByFault = true;
  }

  closed(isComplete: boolean): void {
    this.closedAt = Date.now();
    this.isAborted = !isComplete && !this.#isEndedByFault;
  }
}

type Waiter = Readonly<{ matches: (request: RecordedRequest) => boolean; found: (request: RecordedRequest) => void }>;

export type Recorder = Readonly<{
  requests: readonly RecordedRequest[];
  add(record: RequestRecord): void;
  bodyArrived(record: RequestRecord, body: Buffer): void;
  closed(record: RequestRecord, isComplete: boolean): void;
  clear(): void;
  /** The first recorded request that fits, now or as soon as one arrives, gets its body, or is over. */
  waitFor(matches: (request: RecordedRequest) => boolean, timeoutMs?: number): Promise<RecordedRequest>;
}>;

export function createRecorder(limit: number): Recorder {
  const requests: RequestRecord[] = [];
  const waiters = new Set<Waiter>();
  let byteCount = 0;

  const forgetOldest = (): void => {
    while (requests.length > limit || byteCount > BYTES_MAX) {
      const oldest = requests.shift();
      if (oldest === undefined) return;
      oldest.isKept = false;
      byteCount -= oldest.byteCount;
    }
  };

  const tellWaiters = (record: RequestRecord): void => {
    for (const waiter of waiters) if (waiter.matches(record)) waiter.found(record);
  };

  return {
    requests,
    add(record) {
      record.isKept = true;
      requests.push(record);
      forgetOldest();
      tellWaiters(record);
    },
    bodyArrived(record, body) {
      if (!record.isKept) return;
      record.setBody(body);
      byteCount += body.length;
      forgetOldest();
      tellWaiters(record);
    },
    closed(record, isComplete) {
      record.closed(isComplete);
      tellWaiters(record);
    },
    clear() {
      for (const record of requests) record.isKept = false;
      requests.length = 0;
      byteCount = 0;
    },
    waitFor: (matches, timeoutMs = 300_000) => waitFor(requests, waiters, { matches, timeoutMs }),
  };
}

function waitFor(
  requests: readonly RequestRecord[],
  waiters: Set<Waiter>,
  wanted: Readonly<{ matches: Waiter['matches']; timeoutMs: number }>,
): Promise<RecordedRequest> {
  const { matches, timeoutMs } = wanted;
  const known = requests.find(matches);
  if (known !== undefined) return Promise.resolve(known);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      waiters.delete(waiter);
      reject(new Error(`No request matched within ${timeoutMs} ms.`));
    }, timeoutMs);
    const waiter: Waiter = {
      matches,
      found(request) {
        clearTimeout(timer);
        waiters.delete(waiter);
        resolve(request);
      },
    };
    waiters.add(waiter);
  });
}
