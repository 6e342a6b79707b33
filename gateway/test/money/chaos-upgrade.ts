// `npm run chaos:upgrade -- --from HEAD~1 --entries 300000`: the build of another commit and this one serve side by
// side on one database under load: forward, gateway by gateway, back, and forward again; then the journal gets its
// months. Prints what clients saw in each phase, and fails when a call was refused or the books differ from what a
// client was told. Build first: this side is the build in `dist`.

import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startEmbedded } from '../../src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { until } from '../failover/programs.ts';
import { countStatuses, type Gateway, Gateways, type Seen } from '../scale/gateways.ts';

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: 'HEAD~1' },
    entries: { type: 'string', default: '300000' },
    seconds: { type: 'string', default: '5' },
  },
});
const entries = Number(values.entries);
const phaseMs = Number(values.seconds) * 1_000;
const repository = fileURLToPath(new URL('../../../', import.meta.url));
const LOOPS = 4;
/** The time that a load balancer takes to notice that a gateway leaves. */
const NOTICE_MS = 1_000;
const BODY = { model: 'openai/test', stream: true };

function run(program: string, parameters: readonly string[], folder: string): void {
  const { status, stderr, stdout } = spawnSync(program, [...parameters], { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} failed: ${stderr}${stdout}`);
}

/** The program of that commit, built by itself. */
async function buildOf(commit: string, folder: string): Promise<string> {
  const tree = join(folder, 'from');
  await mkdir(tree);
  run('sh', ['-c', `git archive ${commit} | tar -x -C ${tree}`], repository);
  for (const modules of ['node_modules', 'gateway/node_modules']) {
    await symlink(join(repository, modules), join(tree, modules));
  }
  run(process.execPath, [join(repository, 'node_modules/typescript/bin/tsc'), '-b', 'gateway'], tree);
  return join(tree, 'gateway/dist/main.js');
}

/** A journal of some length, of an account whose records were dropped; the self-check finds no error in it. */
async function fillJournal(client: Client): Promise<void> {
  await client.query('begin');
  await client.query(
    `insert into accounts (id, balance_nano_usd, total_credited_nano_usd, total_spent_nano_usd)
     values ('usr-past', 0, ${entries}, ${entries})`,
  );
  await client.query(
    `insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference)
     values ('system-funding', 'usr-past', ${entries}, 'credit', 'past')`,
  );
  await client.query(
    `insert into ledger_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id)
     select 'usr-past', 'system-revenue', 1, 'charge',
            'gen-' || lpad(to_hex((extract(epoch from now()) * 1000)::bigint - 86400000 + n), 12, '0') || substr(md5(n::text), 1, 24)
     from generate_series(1, ${entries}) n`,
  );
  await client.query(
    `insert into dropped_months values (date_trunc('month', now() - interval '1 month')::date, 'usr-past', ${entries})`,
  );
  await client.query('commit');
}

class Traffic {
  readonly #gateways: Gateways;
  readonly #keys: readonly string[];
  readonly #serving: Gateway[] = [];
  readonly seen: Seen[] = [];
  #told = 0;
  #isOver = false;
  #loops: Promise<void>[] = [];

  constructor(gateways: Gateways, keys: readonly string[]) {
    this.#gateways = gateways;
    this.#keys = keys;
  }

  start(): void {
    this.#loops = Array.from({ length: LOOPS }, (_, place) => this.#loop(place));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await Promise.all(this.#loops);
  }

  async join(program?: string): Promise<Gateway> {
    const gateway = await this.#gateways.add(program);
    this.#serving.push(gateway);
    return gateway;
  }

  async leave(gateway: Gateway): Promise<void> {
    this.#serving.splice(this.#serving.indexOf(gateway), 1);
    await sleep(NOTICE_MS);
    await gateway.signal('SIGTERM');
  }

  async phase(name: string, act: () => Promise<void>): Promise<void> {
    await act();
    await sleep(phaseMs);
    const all = this.seen.slice(this.#told);
    this.#told = this.seen.length;
    const slowestMs = Math.max(...all.map(({ startedMs, endedMs }) => endedMs - startedMs));
    const statuses = JSON.stringify(countStatuses(all));
    process.stdout.write(`${name}: ${all.length} calls, ${statuses}, the slowest ${slowestMs.toFixed(0)} ms\n`);
    if (all.some(({ costUsd }) => costUsd === null)) process.exitCode = 1;
  }

  async #loop(first: number): Promise<void> {
    for (let turn = first; !this.#isOver; turn += 1) {
      const place = this.#gateways.all.indexOf(this.#serving[turn % this.#serving.length] as Gateway);
      const seen = await this.#gateways.call(place, this.#keys[turn % this.#keys.length] as string, BODY);
      this.seen.push(seen);
      if (seen.costUsd === null) process.stdout.write(`  ! ${seen.status} ${seen.text.slice(0, 200)}\n`);
    }
  }
}

async function differences(client: Client, all: readonly Seen[]): Promise<string[]> {
  const { rows } = await client.query<{ id: string; usd: number; count: number }>(
    `select generation_id as id, sum(amount_nano_usd)::float8 / 1e9 as usd, count(*)::integer as count
     from journal_entries where kind = 'charge' and debit_account_id <> 'usr-past' group by 1`,
  );
  const books = new Map(rows.map((row) => [row.id, row]));
  return all.flatMap(({ headers, costUsd }) => {
    const row = books.get(headers.get('x-generation-id') ?? '');
    return row?.usd === costUsd && row.count === 1 ? [] : [`told ${costUsd}, charged ${JSON.stringify(row)}`];
  });
}

async function upgrade(from: string, databaseUrl: string, client: Client): Promise<void> {
  const gateways = await Gateways.start({ databaseUrl, count: 1, program: from });
  try {
    const keys = await Promise.all(Array.from({ length: 4 }, async () => (await gateways.account(100)).key));
    await fillJournal(client);
    const traffic = new Traffic(gateways, keys);
    const before = [await traffic.join(from), await traffic.join(from)];
    traffic.start();
    await traffic.phase('the build before', async () => {});
    const after: Gateway[] = [];
    const exchange = async (left: readonly Gateway[], program?: string): Promise<Gateway[]> => {
      const joined: Gateway[] = [];
      for (const gateway of left) {
        joined.push(await traffic.join(program));
        await traffic.leave(gateway);
      }
      return joined;
    };
    await traffic.phase('this build beside it', async () => void after.push(await traffic.join()));
    await traffic.phase('forward', async () => void after.push(...(await exchange(before))));
    let back: Gateway[] = [];
    await traffic.phase('back', async () => {
      back = await exchange(after, from);
    });
    let again: Gateway[] = [];
    await traffic.phase('forward again', async () => {
      again = await exchange(back);
    });
    await traffic.phase('the journal gets its months', async () => {
      await gateways.all[0]?.signal('SIGTERM');
      await client.query("update schema_migrations set applied_at = applied_at - interval '8 days'");
      // The job is at it when a gateway starts.
      again.push(await traffic.join());
      await until('months have begun', async () => {
        const { rows } = await client.query("select to_regclass('journal_entries_default') is not null as begun");
        return rows[0]?.begun;
      });
    });
    await traffic.stop();
    const found = await differences(client, traffic.seen);
    const check = await gateways.operateAt(gateways.all.length - 1, 'GET', '/admin/v1/ledger/check');
    process.stdout.write(
      `${traffic.seen.length} calls, wrong in the books ${found.length}, self-check ${JSON.stringify(check).slice(0, 300)}\n`,
    );
    for (const one of found.slice(0, 10)) process.stdout.write(`  ! ${one}\n`);
    if (found.length > 0 || check.ok !== true) process.exitCode = 1;
  } finally {
    await gateways.close();
  }
}

const folder = await mkdtemp(join(tmpdir(), 'tollgate-upgrade-'));
const server = await startEmbedded({ dataFolder: join(folder, 'database'), logger: silentLogger });
const client = new Client({ connectionString: server.url });
client.on('error', () => {});
try {
  const from = await buildOf(values.from, folder);
  await client.connect();
  await upgrade(from, server.url, client);
} finally {
  await client.end();
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
