// Gateways under load while the database behind them fails over, in one of four ways, and what the books say
// afterwards. The test asserts on the report; the command prints it.

import { setTimeout as sleep } from 'node:timers/promises';
import { Gateways } from '../scale/gateways.ts';
import { differencesOf, Load, type Running, settled } from './load.ts';
import { PostgresServer } from './postgres-server.ts';
import { until } from './programs.ts';

export type FailOverMode =
  /** A commit waits for the standby; the primary dies. */
  | 'synchronous'
  /** The standby has not received the newest commits when the primary dies. */
  | 'asynchronous'
  /** The primary keeps its connections and does not answer. */
  | 'frozen'
  /** The standby is promoted while the primary lives and does not know it. */
  | 'two primaries';

export type FailOverReport = Readonly<{
  calls: number;
  served: number;
  /** From the promotion until every gateway has served a call. */
  servedAgainMs: number;
  /** Charges that clients were told of and that the books do not have in this form. */
  differences: readonly string[];
  /** Committed charges that the new server did not have, as the gateways named them. */
  named: number;
  ledger: Readonly<Record<string, unknown>>;
}>;

const WARM_MS = 700;

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
    // More than the test asks for: what was under way when the standby was cut off may have reached it.
    await load.untilCharged(40);
  }
  if (mode === 'frozen') primary.freeze();
  else if (mode !== 'two primaries') await primary.kill();
  await standby.promote();
}

type Pair = { primary: PostgresServer; standby: PostgresServer };

export async function openPair(): Promise<Pair> {
  const primary = await PostgresServer.primary();
  return { primary, standby: await PostgresServer.standbyOf(primary) };
}

const LOST = 'a committed charge was lost in the fail-over';

/** Runs round after round with the roles exchanged, and calls back after each. */
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

const namedBy = (gateways: Gateways): number =>
  gateways.all.reduce((sum, { output }) => sum + output.split(LOST).length - 1, 0);
