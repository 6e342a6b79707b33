// One client that asks, waits and asks again: what a call takes when nothing shares its commit. One durable commit on
// the same database is measured beside it, because every paid answer needs at least that.

import { sql } from '../../../gateway/src/platform/db/database.ts';
import { openDatabase } from '../../../gateway/src/platform/db/postgres.ts';
import { silentLogger } from '../../../gateway/src/platform/logger.ts';
import { runCleanly } from '../load/generator.ts';
import type { Quantiles } from '../load/job.ts';
import { quantiles } from '../load/quantiles.ts';
import type { Target } from '../targets/target.ts';
import type { Bench } from './bench.ts';

export type OneConnection = Readonly<{
  directMs: Quantiles;
  throughMs: Quantiles;
  /** Null where the target has no database of its own. */
  commitMs: Quantiles | null;
}>;

const COMMITS = 400;

export async function measureOneConnection(bench: Bench, target: Target): Promise<OneConnection> {
  const run = async (measured: Target): Promise<Quantiles> => {
    const job = { port: measured.port, requests: measured.requests('whole'), connections: 1 };
    return (await runCleanly(bench.generator, { ...job, durationMs: bench.settings.windowMs })).latencyMs;
  };
  await run(target);
  return {
    directMs: await run(bench.upstream.target),
    throughMs: await run(target),
    commitMs: target.databaseUrl === undefined ? null : await measureCommits(target.databaseUrl),
  };
}

/** One row in a table, in a transaction of its own. */
async function measureCommits(databaseUrl: string): Promise<Quantiles> {
  const database = openDatabase(databaseUrl, silentLogger);
  try {
    await database.query(sql('bench-table', 'create table if not exists bench_commits (id bigint)'), []);
    const durationsMs: number[] = [];
    for (let index = 0; index < COMMITS; index += 1) {
      const startedMs = performance.now();
      await database.query(sql('bench-commit', 'insert into bench_commits values ($1)'), [index]);
      durationsMs.push(performance.now() - startedMs);
    }
    await database.query(sql('bench-drop', 'drop table bench_commits'), []);
    return quantiles(durationsMs);
  } finally {
    await database.close();
  }
}

/** What a call takes beyond the upstream's own time and one commit. */
export function beyondCommit({ directMs, throughMs, commitMs }: OneConnection, at: 'p50' | 'p99'): number {
  return throughMs[at] - directMs[at] - (commitMs?.[at] ?? 0);
}
