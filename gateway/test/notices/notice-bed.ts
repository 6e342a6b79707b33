// A gateway with a receiver of notices, a clock that a test can move, and plain SQL for causes that would take days to
// happen.

import { Client } from 'pg';
import { vi } from 'vitest';
import type { Logger } from '../../src/platform/logger.ts';
import type { Lookup } from '../../src/platform/outbound/resolve-host.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';
import { RECEIVER_HOST, type Receiver, startReceiver } from '../videos/receiver.ts';

export const PATIENCE = { timeout: PATIENCE_MS, interval: 20 };
/** Longer than between two looks for causes. */
const ROUND_MS = 31_000;
const LOOKS_AGAIN_EVERY = 100;

type Given = Readonly<{ env?: Readonly<Record<string, string>>; logger?: Logger }>;

export class NoticeBed {
  readonly harness: Harness;
  readonly clock: ShiftedClock;
  readonly receiver: Receiver;
  readonly #client: Client;

  private constructor(parts: Readonly<{ harness: Harness; clock: ShiftedClock; receiver: Receiver; client: Client }>) {
    this.harness = parts.harness;
    this.clock = parts.clock;
    this.receiver = parts.receiver;
    this.#client = parts.client;
  }

  static async open(lookup: Lookup, given: Given = {}): Promise<NoticeBed> {
    const clock = new ShiftedClock();
    // The receiver's certificate is its own.
    process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
    const harness = await startHarness({
      env: { TOLLGATE_SSRF_ALLOW: '127.0.0.2/32', ...given.env },
      models: {
        'acme/dead': { routes: [{ provider: 'dead', upstream_model: 'gone' }] },
        'acme/dear': { entry: { pricing: { prompt: '1000', completion: '2000' } } },
      },
      start: {
        clock,
        ...(given.logger === undefined ? {} : { logger: given.logger }),
        lookup: async (name) => (name === RECEIVER_HOST ? ['127.0.0.2'] : lookup(name)),
      },
    });
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    return new NoticeBed({ harness, clock, receiver: await startReceiver(), client });
  }

  async close(): Promise<void> {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
    await this.receiver.close();
    await this.#client.end();
    await this.harness.close();
  }

  async rows<Row extends object = Record<string, string>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows;
  }

  /** Lets another look for causes happen soon. */
  round(): void {
    this.clock.move(ROUND_MS);
  }

  async states(ownerId: string): Promise<readonly Json[]> {
    return this.rows<Json>(
      `select n.kind, d.state, d.attempts, d.failure from notices n join notice_deliveries d on d.notice_id = n.id
       where n.owner_id = $1 order by n.kind, d.state`,
      [ownerId],
    );
  }

  /** Until so many of the owner's are there and nothing is under way. */
  async settled(ownerId: string, count: number): Promise<readonly Json[]> {
    let asked = 0;
    return vi.waitFor(async () => {
      const states = await this.states(ownerId);
      asked += 1;
      // A look that was under way when the clock moved began the next wait only afterwards.
      if (states.length < count && asked % LOOKS_AGAIN_EVERY === 0) this.round();
      if (states.length < count || states.some(({ state }) => state === 'waiting'))
        throw new Error(`not ended yet: ${JSON.stringify(states)}`);
      return states;
    }, PATIENCE);
  }

  async ask(method: string, path: string, headers: Record<string, string>, body?: unknown): Promise<Answer> {
    return this.harness.request(method, path, { headers, ...(body === undefined ? {} : { body }) });
  }
}
