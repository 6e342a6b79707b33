// A gateway with video models, a clock that a test can move, and functions for repeated steps.

import { Client } from 'pg';
import { expect, vi } from 'vitest';
import type { Lookup } from '../../src/platform/outbound/resolve-host.ts';
import { type Answer, type Harness, type HarnessOptions, type Json, type ModelSpec, startHarness } from '../harness.ts';
import { PATIENCE_MS } from '../patience.ts';
import { ShiftedClock } from '../payments/shifted-clock.ts';
import { RECEIVER_HOST } from './receiver.ts';

/** A tenth of a dollar for a second. */
const PRICING = { video_second: '0.10' };

export const video = (commands: string, entry: Json = {}, routes?: readonly object[]): ModelSpec => ({
  commands,
  ...(routes === undefined ? {} : { routes }),
  entry: {
    input_modalities: ['text', 'image', 'video'],
    output_modalities: ['video'],
    pricing: PRICING,
    video: { durations: [4, 8, 12], resolutions: ['720p', '1080p'], aspect_ratios: ['16:9', '9:16'] },
    ...entry,
  },
});

const PATIENCE = { timeout: PATIENCE_MS, interval: 10 };

/** Done as soon as it is asked about. */
export const QUICK = 'video-queue-0+video-run-0';

const names: Readonly<Record<string, readonly string[]>> = {
  [RECEIVER_HOST]: ['127.0.0.2'],
  'media.example': ['127.0.0.1'],
};

const lookup: Lookup = (name) => {
  const addresses = names[name];
  return addresses === undefined ? Promise.reject(new Error('no such name')) : Promise.resolve(addresses);
};

export class VideoBed {
  readonly harness: Harness;
  readonly clock: ShiftedClock;
  readonly #client: Client;

  private constructor(harness: Harness, clock: ShiftedClock, client: Client) {
    this.harness = harness;
    this.clock = clock;
    this.#client = client;
  }

  static async open(models: HarnessOptions['models'], options: HarnessOptions = {}): Promise<VideoBed> {
    const clock = new ShiftedClock();
    clock.stop();
    const harness = await startHarness({
      ...options,
      models: models ?? {},
      env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8', TOLLGATE_SITE_URL: 'https://gateway.example', ...options.env },
      start: { clock, lookup, ...options.start },
    });
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    return new VideoBed(harness, clock, client);
  }

  async close(): Promise<void> {
    await this.#client.end();
    await this.harness.close();
  }

  async rows<Row extends object = Record<string, string>>(text: string, values: unknown[] = []): Promise<Row[]> {
    return (await this.#client.query<Row>(text, values)).rows;
  }

  submit(key: string, body: Json, path = '/v1/videos'): Promise<Answer> {
    return this.harness.request('POST', path, { key, body: { prompt: 'A boat on a lake.', ...body } });
  }

  /** The id of a job that was taken. */
  async order(key: string, body: Json): Promise<string> {
    const answer = await this.submit(key, body);
    expect([answer.status, answer.body.status], answer.text).toEqual([202, 'pending']);
    return String(answer.body.id);
  }

  poll(key: string, id: string): Promise<Answer> {
    return this.harness.request('GET', `/v1/videos/${id}`, { key });
  }

  /** Puts the clock forward until the upstream may be asked again, and asks; the background may have been first. */
  async pollLater(key: string, id: string, byMs = 8_001): Promise<Answer> {
    this.clock.move(byMs);
    await this.poll(key, id);
    await this.untilIdle(id);
    return this.poll(key, id);
  }

  /** Until nobody is at the job. */
  async untilIdle(id: string): Promise<void> {
    const idle = "select id from video_jobs where id = $1 and (leased_until = '-infinity' or phase = 'ended')";
    await vi.waitFor(async () => expect(await this.rows(idle, [id])).toHaveLength(1), PATIENCE);
  }

  /** Without anybody polling: the background work has to do it. */
  async untilStatus(id: string, status: string): Promise<void> {
    const statusOf = async () => (await this.rows('select status from video_jobs where id = $1', [id]))[0]?.status;
    await vi.waitFor(async () => expect(await statusOf()).toBe(status), PATIENCE);
  }

  /** What was ordered from the upstream. */
  orders(): readonly Json[] {
    return this.harness.simulator.requests
      .filter(({ method, path }) => method === 'POST' && path.endsWith('/videos'))
      .map(({ json }) => json as Json);
  }

  async assertBalanced(): Promise<void> {
    const check = await this.harness.ledgerCheck();
    expect(check).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
  }
}
