// Calls at gateways while something happens to the database behind them, and whether its books have what clients were
// told.

import { setTimeout as sleep } from 'node:timers/promises';
import { PATIENCE_MS } from '../patience.ts';
import type { Gateways, Seen } from '../scale/gateways.ts';
import type { PostgresServer } from './postgres-server.ts';
import { until } from './programs.ts';

const LOOPS = 6;
/** Where calls begin at a rate, at most this many seconds of calls are under way; further calls are not begun. */
const UNDER_WAY_SECONDS = 4;
const STEP_MS = 10;
const BODY = { model: 'openai/test', stream: true };

export type Running = Readonly<{ gateways: Gateways; keys: readonly string[]; rate: number | null }>;

/** The place in the list says which account and which gateway. */
export type LoadedCall = Seen & Readonly<{ index: number }>;

export class Load {
  readonly #gateways: Gateways;
  readonly #keys: readonly string[];
  /** Calls begun in a second; null: each loop begins one when its last has ended. */
  readonly #rate: number | null;
  readonly seen: LoadedCall[] = [];
  #isOver = false;
  #loops: Promise<void>[] = [];

  constructor({ gateways, keys, rate }: Running) {
    this.#gateways = gateways;
    this.#keys = keys;
    this.#rate = rate;
  }

  start(): void {
    this.#loops =
      this.#rate === null ? Array.from({ length: LOOPS }, (_, place) => this.#loop(place)) : [this.#atRate(this.#rate)];
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  get charged(): number {
    return this.seen.filter(({ costUsd }) => costUsd !== null).length;
  }

  async untilCharged(count: number): Promise<void> {
    const wanted = this.charged + count;
    await until('calls are charged', () => this.charged >= wanted);
  }

  /** By every gateway, from now on. */
  async untilAllServe(): Promise<void> {
    await Promise.all(
      this.#gateways.all.map((_, place) =>
        until('every gateway serves again', async () => {
          const seen = await this.#call(place);
          return seen.costUsd !== null;
        }),
      ),
    );
  }

  async #call(index: number): Promise<Seen> {
    const seen = await this.#gateways.call(index, this.#keys[index % this.#keys.length] as string, BODY);
    this.seen.push({ ...seen, index });
    return seen;
  }

  async #loop(place: number): Promise<void> {
    for (let index = place; !this.#isOver; index += 1) {
      if ((await this.#call(index)).costUsd === null) await sleep(20);
    }
  }

  /** Whether or not calls are answered. */
  async #atRate(rate: number): Promise<void> {
    const underWay = new Set<Promise<unknown>>();
    const startMs = performance.now();
    for (let index = 0; !this.#isOver; await sleep(STEP_MS)) {
      for (; index < ((performance.now() - startMs) * rate) / 1_000; index += 1) {
        if (underWay.size >= rate * UNDER_WAY_SECONDS) continue;
        const call: Promise<unknown> = this.#call(index).finally(() => underWay.delete(call));
        underWay.add(call);
      }
    }
    await Promise.all(underWay);
  }
}

/** Costs that clients were told and that the books do not have in this form. */
export async function differencesOf(server: PostgresServer, all: readonly Seen[]): Promise<string[]> {
  const told = new Map(
    all.flatMap(({ headers, costUsd }) => (costUsd === null ? [] : [[headers.get('x-generation-id') ?? '', costUsd]])),
  );
  const charged = await server.query<{ id: string; usd: number; count: number }>(
    `select generation_id as id, sum(amount_nano_usd)::float8 / 1e9 as usd, count(*)::integer as count
     from journal_entries where kind = 'charge' group by 1`,
  );
  const books = new Map(charged.map((row) => [row.id, row]));
  return [...told].flatMap(([id, usd]) => {
    const row = books.get(id as string);
    return row?.usd === usd && row.count === 1 ? [] : [`${id}: told ${usd}, charged ${row?.usd ?? 'nothing'}`];
  });
}

/** A gateway that learned late of the event may still be reacting. */
export async function settled(look: () => Promise<string[]>): Promise<string[]> {
  const deadlineMs = Date.now() + PATIENCE_MS;
  for (;;) {
    const differences = await look();
    if (differences.length === 0 || Date.now() > deadlineMs) return differences;
    await sleep(100);
  }
}
