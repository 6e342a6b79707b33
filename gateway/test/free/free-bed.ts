// A gateway with free models of small quotas, a clock that a test sets, and what a test wants to know of an answer.

import { Client } from 'pg';
import { SetClock } from '../caps/set-clock.ts';
import { type Answer, type Harness, type HarnessOptions, type Json, type ModelSpec, startHarness } from '../harness.ts';

export const START = '2026-03-10T12:00:00Z';

/** What a call costs that is not free: 100 and 20 tokens at the harness's prices. */
export const PAID_USD = 0.00014;

const WORK = 'tokens-100-20';

export const freeModel = (minute: number, day: number, commands = WORK): ModelSpec => ({
  commands,
  entry: { free: { requests_per_minute: minute, requests_per_day: day } },
});

export const paidModel: ModelSpec = { commands: WORK };

export class FreeBed {
  readonly harness: Harness;
  readonly clock: SetClock;
  readonly #client: Client;

  private constructor(harness: Harness, clock: SetClock, client: Client) {
    this.harness = harness;
    this.clock = clock;
    this.#client = client;
  }

  static async open(options: HarnessOptions): Promise<FreeBed> {
    const clock = new SetClock(START);
    const harness = await startHarness({ ...options, start: { clock, ...options.start } });
    const client = new Client({ connectionString: harness.databaseUrl });
    await client.connect();
    return new FreeBed(harness, clock, client);
  }

  async rows(text: string, values: unknown[] = []): Promise<Record<string, string>[]> {
    return (await this.#client.query<Record<string, string>>(text, values)).rows;
  }

  chat(key: string, model: string, headers: Record<string, string> = {}, body: Json = {}): Promise<Answer> {
    return this.harness.chat(key, { model, ...body }, headers);
  }

  async record(key: string, answer: Answer): Promise<Json> {
    const id = answer.headers.get('X-Generation-Id');
    const read = await this.harness.request('GET', `/v1/generation?id=${id}`, { key });
    return read.body.data as Json;
  }

  async close(): Promise<void> {
    await this.#client.end();
    await this.harness.close();
  }
}

export const costOf = (answer: Answer): unknown => (answer.body.usage as Json | undefined)?.cost;
export const fallbackOf = (answer: Answer): string | null => answer.headers.get('x-tollgate-free-fallback');
export const errorOf = (answer: Answer): Json => (answer.body.error ?? {}) as Json;

/** In short: `free`, `paid`, `paid rpm`, `429`. */
export function outcomeOf(answer: Answer): string {
  if (answer.status !== 200) return String(answer.status);
  const paid = costOf(answer) === 0 ? 'free' : 'paid';
  return [paid, fallbackOf(answer)].filter((word) => word !== null).join(' ');
}

export function tally(answers: readonly Answer[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[outcomeOf(answer)] = (counts[outcomeOf(answer)] ?? 0) + 1;
  return counts;
}
