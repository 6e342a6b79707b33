// Gateways under load while the database behind them fails over, in one of four ways, and what the books say afterwards.
// The test asserts on the report; the command prints it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Gateways, type Seen } from '../scale/gateways.ts';
import { PostgresServer } from './postgres-server.ts';
import { until } from './programs.ts';

export type FailOverMode =
  /** A commit waits for the standby; the primary dies. */
  | 'synchronous'
  /** The standby has not received the newest commits when the primary dies. */
  | 'asynchronous'
  /** The primary keeps its connections and answers nobody. */
  | 'frozen'
  /** The standby is promoted while the primary lives, and knows nothing of it. */
  | 'two primaries';

export type FailOverReport = Readonly<{
  calls: number;
  served: number;
  /** From the promotion until every gateway has served a call. */
  servedAgainMs: number;
  /** What clients were told and the books do not have as told. */
  differences: readonly string[];
  /** Committed charges that the new server did not have, as the gateways named them. */
  named: number;
  ledger: Readonly<Record<string, unknown>>;
}>;

const LOOPS = 6;
/** Where calls begin at a rate, so many seconds of them may be under way: what is more is not begun. */
const UNDER_WAY_SECONDS = 4;
const STEP_MS = 10;
const WARM_MS = 700;
const BODY = { model: 'openai/test', stream: true };

class Load {
  readonly #gateways: Gateways;
  readonly #keys: readonly string[];
  /** Calls begun in a second; null: each loop begins one when its last has ended. */
  readonly #rate: number | null;
  readonly seen: Seen[] = [];
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
          const seen = await this.#gateways.call(place, this.#keys[place % this.#keys.length] as string, BODY);
          this.seen.push(seen);
          return seen.costUsd !== null;
        }),
      ),
    );
  }

  async #call(index: number): Promise<Seen> {
    const seen = await this.#gateways.call(index, this.#keys[index % this.#keys.length] as string, BODY);
    this.seen.push(seen);
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

/** Answers when the standby has taken the primary's place. */
async function failOver(mode: FailOverMode, pair: Pair, load: Load): Promise<void> {
  const { primary, standby } = pair;
  if (mode === 'asynchronous') {
    await standby.query(`alter system set primary_conninfo = ''`);
    await standby.query('select pg_reload_conf()');
    await until(
      'the standby is cut off',
      async () => (await primary.query('select from pg_stat_replication')).length === 0,
    );
    await load.untilCharged(20);
  }
  if (mode === 'frozen') primary.freeze();
  else if (mode !== 'two primaries') await primary.kill();
  await standby.promote();
}

async function differencesOf(server: PostgresServer, all: readonly Seen[]): Promise<string[]> {
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

type Pair = { primary: PostgresServer; standby: PostgresServer };

export async function openPair(): Promise<Pair> {
  const primary = await PostgresServer.primary();
  return { primary, standby: await PostgresServer.standbyOf(primary) };
}

const LOST = 'a committed charge was lost in the fail-over';

/** Round after round with the roles exchanged; hears of each. */
export async function failOverAgainAndAgain(
  pair: Pair,
  modes: readonly FailOverMode[],
  hear: (mode: FailOverMode, report: FailOverReport) => void,
  rate: number | null = null,
): Promise<void> {
  const { primary, standby } = pair;
  const databaseUrl = primary.url.replace(primary.address, `${primary.address},${standby.address}`);
  const gateways = await Gateways.start({ databaseUrl, count: 2 });
  try {
    const keys = await Promise.all(Array.from({ length: 4 }, async () => (await gateways.account(100)).key));
    for (const mode of modes) hear(mode, await round(mode, pair, { gateways, keys, rate }));
  } finally {
    await gateways.close();
  }
}

type Running = Readonly<{ gateways: Gateways; keys: readonly string[]; rate: number | null }>;

async function round(mode: FailOverMode, pair: Pair, running: Running): Promise<FailOverReport> {
  const { gateways } = running;
  const namedBefore = namedBy(gateways);
  await pair.primary.setSynchronous(mode === 'synchronous');
  const load = new Load(running);
  load.start();
  await load.untilCharged(20);
  await failOver(mode, pair, load);
  const promotedMs = performance.now();
  await load.untilAllServe();
  const servedAgainMs = performance.now() - promotedMs;
  await sleep(WARM_MS);
  await load.stop();
  const { primary: left, standby: taken } = pair;
  // What was lost is charged again before anything else, but a gateway that was told late may still be at it.
  const differences = await settled(() => differencesOf(taken, load.seen));
  const ledger = await gateways.operate('GET', '/admin/v1/ledger/check?full=true');
  left.thaw();
  await left.rejoin(taken);
  Object.assign(pair, { primary: taken, standby: left });
  const served = load.charged;
  return {
    calls: load.seen.length,
    served,
    servedAgainMs,
    differences,
    named: namedBy(gateways) - namedBefore,
    ledger,
  };
}

async function settled(look: () => Promise<string[]>): Promise<string[]> {
  const deadlineMs = Date.now() + 60_000;
  for (;;) {
    const differences = await look();
    if (differences.length === 0 || Date.now() > deadlineMs) return differences;
    await sleep(100);
  }
}

const namedBy = (gateways: Gateways): number =>
  gateways.all.reduce((sum, { output }) => sum + output.split(LOST).length - 1, 0);
