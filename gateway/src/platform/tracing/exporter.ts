// Sends spans to a collector in batches, over OTLP's HTTP form. Tracing must never cost a call anything: the queue is
// bounded, spans that do not fit or cannot be sent are dropped and counted, and a collector that is away is tried now
// and then.

import { Pool } from 'undici';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logger.ts';
import { type Attributes, encodeSpans } from './encode-spans.ts';
import type { SpanRecord } from './span.ts';

export type ExporterSettings = Readonly<{
  /** Of the collector, with the path. */
  url: string;
  /** Names and values in turn; they may hold a secret. */
  headers: readonly string[];
  resource: Attributes;
  timeoutMs: number;
  queueMax: number;
  batchMax: number;
  delayMs: number;
}>;

type Exporter = Readonly<{
  add(record: SpanRecord): void;
  exportedCount(): number;
  droppedCount(): number;
  queuedCount(): number;
  close(): Promise<void>;
}>;

const CLOSE_MS = 2_000;
const ANSWER_BYTES_MAX = 65_536;

class OtlpExporter implements Exporter {
  readonly #settings: ExporterSettings;
  readonly #logger: Logger;
  readonly #pool: Pool;
  readonly #path: string;
  readonly #stopTimer: () => void;
  #queue: SpanRecord[] = [];
  #sending: Promise<void> | null = null;
  #exported = 0;
  #dropped = 0;
  /** While it is away only the timer tries, so that it costs one attempt at a time. */
  #isAway = false;

  constructor(settings: ExporterSettings, clock: Clock, logger: Logger) {
    this.#settings = settings;
    this.#logger = logger;
    const { origin, pathname, search } = new URL(settings.url);
    this.#path = pathname + search;
    const { timeoutMs } = settings;
    this.#pool = new Pool(origin, {
      connections: 1,
      headersTimeout: timeoutMs,
      bodyTimeout: timeoutMs,
      connect: { timeout: timeoutMs },
    });
    this.#stopTimer = clock.every(settings.delayMs, () => this.#send());
  }

  add(record: SpanRecord): void {
    if (this.#queue.length >= this.#settings.queueMax) {
      this.#dropped += 1;
      return;
    }
    this.#queue.push(record);
    if (this.#queue.length >= this.#settings.batchMax && !this.#isAway) this.#send();
  }

  exportedCount(): number {
    return this.#exported;
  }

  droppedCount(): number {
    return this.#dropped;
  }

  queuedCount(): number {
    return this.#queue.length;
  }

  async close(): Promise<void> {
    this.#stopTimer();
    const deadline = setTimeout(() => void this.#pool.destroy(), CLOSE_MS);
    while (this.#queue.length > 0 || this.#sending !== null) {
      this.#send();
      await this.#sending;
    }
    clearTimeout(deadline);
    await this.#pool.destroy();
  }

  #send(): void {
    if (this.#sending !== null || this.#queue.length === 0) return;
    const batch = this.#queue.splice(0, this.#settings.batchMax);
    this.#sending = this.#sendBatch(batch).finally(() => {
      this.#sending = null;
      if (this.#queue.length >= this.#settings.batchMax && !this.#isAway) this.#send();
    });
  }

  async #sendBatch(batch: readonly SpanRecord[]): Promise<void> {
    let rejected = batch.length;
    try {
      const { status, text } = await this.#post(encodeSpans(batch, this.#settings.resource));
      const isTaken = status >= 200 && status < 300;
      rejected = isTaken ? rejectedOf(text) : batch.length;
      this.#note(isTaken, `status ${status}`);
    } catch (error) {
      this.#note(false, error instanceof Error ? error.message : String(error));
    }
    this.#dropped += rejected;
    this.#exported += batch.length - rejected;
  }

  async #post(body: string): Promise<Readonly<{ status: number; text: string }>> {
    const response = await this.#pool.request({
      path: this.#path,
      method: 'POST',
      headers: ['content-type', 'application/json', ...this.#settings.headers],
      body,
      // For the whole exchange: the pool's own limits begin anew with every byte of an answer.
      signal: AbortSignal.timeout(this.#settings.timeoutMs),
    });
    let text = '';
    for await (const chunk of response.body) {
      text += String(chunk);
      if (text.length >= ANSWER_BYTES_MAX) break;
    }
    return { status: response.statusCode, text };
  }

  /** Logged once at the beginning and once at the end, however many batches fail in between. */
  #note(isTaken: boolean, reason: string): void {
    if (isTaken !== this.#isAway) return;
    this.#isAway = !isTaken;
    if (isTaken) this.#logger.info({ dropped: this.#dropped }, 'traces are taken again');
    else this.#logger.warn({ reason }, 'traces are not taken; spans are dropped');
  }
}

/** A collector may take a batch and refuse some of it. */
function rejectedOf(text: string): number {
  const [, count = '0'] = /"rejectedSpans"\s*:\s*"?(\d{1,9})/.exec(text) ?? [];
  return Number(count);
}

export const openExporter = (settings: ExporterSettings, clock: Clock, logger: Logger): Exporter =>
  new OtlpExporter(settings, clock, logger);
