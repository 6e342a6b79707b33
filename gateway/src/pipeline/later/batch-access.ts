// Asks a provider about a batch that it runs for us. Its address and key are looked up each time, because they may have
// changed; results are read line by line, because those of a large batch do not fit into memory.

import type { Catalog } from '../../modules/catalog/catalog.ts';
import { LineCutter } from '../../platform/line-cutter.ts';
import type { BatchInterface, UpstreamCall } from '../../upstreams/protocol.ts';
import { authorizationOf, protocolOf } from '../../upstreams/registry.ts';
import {
  type Flight,
  type Receiver,
  type Transport,
  type TransportCall,
  type TransportFailure,
  WholeReceiver,
} from '../../upstreams/transport/receiver.ts';

export type AccessServices = Readonly<{
  catalog: Pick<Catalog, 'current'>;
  transport: Pick<Transport, 'send'>;
}>;

/** Status 0 means that no answer came. */
type BatchAnswer = Readonly<{ status: number; body: Buffer }>;

export type BatchAccess = Readonly<{
  batches: BatchInterface;
  get(path: string): Promise<BatchAnswer>;
  post(call: UpstreamCall): Promise<BatchAnswer>;
  /** Throws `BrokenResultsError` where the results break off. */
  lines(path: string): AsyncIterable<string>;
}>;

const TIMEOUTS = { firstByteMs: 120_000, idleMs: 60_000, totalMs: 3_600_000 };
const ANSWER_BYTES_MAX = 4 * 1024 * 1024;
const RESULTS_BYTES_MAX = 8 * 1024 * 1024 * 1024;
const LINE_BYTES_MAX = 64 * 1024 * 1024;

/** Null when the catalog has no such provider any more. */
export function accessOf(providerName: string, { catalog, transport }: AccessServices): BatchAccess | null {
  const provider = catalog.current().providers.get(providerName);
  const batches = provider === undefined ? undefined : protocolOf(provider.protocol)?.batches;
  if (provider === undefined || batches === undefined) return null;
  const call = (path: string, more: Partial<TransportCall>): TransportCall => ({
    baseUrl: provider.baseUrl,
    path,
    headers: ['accept', 'application/json', 'accept-encoding', 'identity'],
    authorization: authorizationOf(provider),
    body: '',
    timeouts: TIMEOUTS,
    responseBytesMax: ANSWER_BYTES_MAX,
    ...more,
  });
  const ask = (question: TransportCall): Promise<BatchAnswer> =>
    new Promise((resolve) => {
      const receiver = new WholeReceiver(
        (status, _headers, body) => resolve({ status, body }),
        () => resolve({ status: 0, body: Buffer.alloc(0) }),
      );
      transport.send(question, receiver);
    });
  return {
    batches,
    get: (path) => ask(call(path, { method: 'GET' })),
    post({ path, body, contentType = 'application/json' }) {
      const headers = ['content-type', contentType, 'accept', 'application/json', 'accept-encoding', 'identity'];
      return ask(call(path, { headers, body }));
    },
    lines: (path) =>
      new LineReader().read(transport, call(path, { method: 'GET', responseBytesMax: RESULTS_BYTES_MAX })),
  };
}

/** Results that have not come to their end. */
export class BrokenResultsError extends Error {}

/** Pauses its flight while lines wait to be taken. */
class LineReader implements Receiver {
  #flight: Flight | null = null;
  #lines: string[] = [];
  readonly #cutter = new LineCutter();
  #isOver = false;
  #failure: string | null = null;
  #wake: () => void = () => {};

  async *read(transport: Pick<Transport, 'send'>, call: TransportCall): AsyncIterable<string> {
    this.#flight = transport.send(call, this);
    try {
      for (;;) {
        const lines = this.#lines;
        this.#lines = [];
        yield* lines;
        if (this.#lines.length > 0) continue;
        if (this.#failure !== null) throw new BrokenResultsError(this.#failure);
        if (this.#isOver) return;
        const more = new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
        this.#flight.resume();
        await more;
      }
    } finally {
      this.#flight.cancel();
    }
  }

  onStart(status: number): void {
    if (status !== 200) this.#fail(`status ${status}`);
  }

  onData(chunk: Buffer): void {
    for (const line of this.#cutter.push(chunk)) this.#take(line);
    if (this.#cutter.restBytes > LINE_BYTES_MAX) this.#fail('a line is too long');
    if (this.#lines.length > 0) this.#flight?.pause();
    this.#wake();
  }

  onEnd(): void {
    this.#take(this.#cutter.end());
    this.#isOver = true;
    this.#wake();
  }

  onFail({ kind }: TransportFailure): void {
    this.#fail(kind);
  }

  #take(text: string): void {
    const line = text.trim();
    if (line !== '') this.#lines.push(line);
  }

  #fail(reason: string): void {
    this.#failure ??= reason;
    this.#wake();
  }
}
