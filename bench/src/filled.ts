// What years of calls cost: the same calls and reads on an empty database and on one that was filled with many calls,
// and the self-check when its months are sealed. `npm run bench:filled -- --calls 1500000 --months 18` takes 1.6 KB of
// disk for each call; with `--wait` measuring begins when a line is entered, so that the machine can become quiet
// first. Buffers are the pages that the database read, which other work on the machine does not change; times vary.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { createBooks } from '../../gateway/src/modules/ledger/books.ts';
import { systemClock } from '../../gateway/src/platform/clock.ts';
import { startEmbedded } from '../../gateway/src/platform/db/embedded/start-embedded.ts';
import { openDatabase } from '../../gateway/src/platform/db/postgres.ts';
import { sessionsOf } from '../../gateway/src/platform/db/servers.ts';
import { silentLogger } from '../../gateway/src/platform/logger.ts';
import { fill } from './filled/fill.ts';
import { type BenchGateway, type Customer, startBenchGateway } from './filled/gateway.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '1500000' },
    months: { type: 'string', default: '18' },
    folder: { type: 'string', default: tmpdir() },
    wait: { type: 'boolean', default: false },
  },
});

const COLD_CALLS = 15;
const SUSTAINED_CALLS = 1_000;
const TOGETHER = 16;
const ROUNDS = 5;

type Side = Readonly<{ gateway: BenchGateway; client: Client }>;

const median = (times: readonly number[]): number =>
  [...times].sort((left, right) => left - right)[times.length >> 1] ?? 0;

async function timed(run: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await run();
  return performance.now() - startedMs;
}

/** Pages that the database has read so far. Sessions report them only after being idle for a while. */
async function buffers({ client }: Side): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await client.query<{ n: string }>(
    `select blks_hit + blks_read as n from pg_stat_database where datname = current_database()`,
  );
  return Number(rows[0]?.n);
}

/** With every cap that a key and a person can have. */
async function coldCustomer({ gateway, client }: Side): Promise<Customer> {
  const customer = await gateway.newCustomer();
  await client.query(
    `update api_keys set spend_limit_nano_usd = 100000000000, spend_limit_period = 'monthly' where id = $1`,
    [customer.keyId],
  );
  await client.query(
    `insert into user_breakers (user_id, is_enabled, minute_nano_usd, hour_nano_usd) values ($1, true, 10000000000, 10000000000)`,
    [customer.userId],
  );
  return customer;
}

type Cold = Readonly<{ firstMs: number; laterMs: number; added: number }>;

async function measureCold(side: Side): Promise<Cold> {
  const first: number[] = [];
  const later: number[] = [];
  const customers: Customer[] = [];
  for (let index = 0; index < COLD_CALLS; index += 1) customers.push(await coldCustomer(side));
  const before = await buffers(side);
  for (const { key } of customers) first.push(await timed(() => side.gateway.call(key)));
  const between = await buffers(side);
  for (const { key } of customers) later.push(await timed(() => side.gateway.call(key)));
  const after = await buffers(side);
  const added = (between - before - (after - between)) / COLD_CALLS;
  return { firstMs: median(first), laterMs: median(later), added };
}

type Sustained = Readonly<{ msPerCall: number; buffersPerCall: number }>;

async function measureSustained(side: Side): Promise<Sustained> {
  const customers = await Promise.all(Array.from({ length: TOGETHER }, () => side.gateway.newCustomer()));
  for (const { key } of customers) await side.gateway.call(key);
  const before = await buffers(side);
  const tookMs = await timed(() =>
    Promise.all(
      customers.map(async ({ key }) => {
        for (let made = 0; made < SUSTAINED_CALLS / TOGETHER; made += 1) await side.gateway.call(key);
      }),
    ),
  );
  return { msPerCall: tookMs / SUSTAINED_CALLS, buffersPerCall: ((await buffers(side)) - before) / SUSTAINED_CALLS };
}

async function measureReads(side: Side, { userId, key }: Customer): Promise<void> {
  const { gateway, client } = side;
  const { rows } = await client.query<{ id: string }>(
    'select id from generations where account_id = $1 order by created_at limit 1',
    [userId],
  );
  const to = new Date().toISOString().slice(0, 10);
  const from = new Date(Date.now() - 365 * 86_400_000).toISOString().slice(0, 10);
  const own = [
    `/v1/generation?id=${rows[0]?.id}`,
    '/v1/usage?period=month',
    `/v1/usage?period=custom&from=${from}&to=${to}`,
    '/v1/insights?period=30d',
    '/v1/insights?period=all',
    '/v1/statement?limit=100',
    `/v1/statement?from=${from}&to=${to}&by=day`,
  ];
  const operators = [
    '/admin/v1/overview',
    `/admin/v1/overview?from=${from}&to=${to}`,
    '/admin/v1/calls?limit=50',
    '/admin/v1/absorbed',
  ];
  for (const path of [...own, ...operators]) {
    const ask = () => (path.startsWith('/admin') ? gateway.operate('GET', path) : gateway.ask('GET', path, key));
    const before = await buffers(side);
    const times = [await timed(ask)];
    const looked = (await buffers(side)) - before;
    // A repeated question may come from a cache.
    while (times.length < ROUNDS) times.push(await timed(ask));
    console.log(
      `| \`${path.replace(/gen-\w+/, 'gen-…')}\` | ${times[0]?.toFixed(0)} ms, then ${median(times).toFixed(0)} ms; ${looked} buffers |`,
    );
  }
}

async function check(side: Side, words: string, query = ''): Promise<void> {
  const before = await buffers(side);
  let read = 0;
  const tookMs = await timed(async () => {
    const answer = await side.gateway.operate('GET', `/admin/v1/ledger/check${query}`);
    if (answer.ok !== true) throw new Error(`the books do not balance: ${JSON.stringify(answer).slice(0, 500)}`);
    read = Number(answer.entries) - Number(answer.entriesBefore);
  });
  const looked = (await buffers(side)) - before;
  console.log(`| self-check, ${words} | ${(tookMs / 1_000).toFixed(1)} s, ${read} entries, ${looked} buffers |`);
}

async function compare(empty: Side, filled: Side): Promise<void> {
  for (const [words, side] of [
    ['empty', empty],
    ['filled', filled],
  ] as const) {
    const { firstMs, laterMs, added } = await measureCold(side);
    console.log(
      `| first call of a cold customer under caps and breakers, ${words} | ${firstMs.toFixed(1)} ms, later calls ${laterMs.toFixed(1)} ms, ${added.toFixed(0)} more buffers |`,
    );
  }
  const rounds: [Sustained, Sustained][] = [];
  for (let round = 0; round < ROUNDS; round += 1)
    rounds.push([await measureSustained(empty), await measureSustained(filled)]);
  const of = (index: 0 | 1, figure: keyof Sustained) => median(rounds.map((round) => round[index][figure]));
  for (const [index, words] of [
    [0, 'empty'],
    [1, 'filled'],
  ] as const) {
    console.log(
      `| a call among many, ${words} | ${of(index, 'msPerCall').toFixed(2)} ms, ${of(index, 'buffersPerCall').toFixed(1)} buffers |`,
    );
  }
}

async function connected(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function run(folder: string): Promise<void> {
  const server = await startEmbedded({ dataFolder: join(folder, 'database'), logger: silentLogger });
  const emptyUrl = server.url.replace(/^(postgres(?:ql)?:\/\/[^/?]*)(?:\/[^?]*)?/, '$1/empty');
  const client = await connected(server.url);
  try {
    await client.query('create database empty');
    const first = await startBenchGateway(server.url);
    const customer = await first.newCustomer();
    await first.close();
    const watched = { accountId: customer.userId, keyId: customer.keyId };
    const filledMs = await timed(() =>
      fill({ client, watched, calls: Number(values.calls), months: Number(values.months) }, (month) =>
        console.error(`filling ${month}`),
      ),
    );
    const { rows } = await client.query<{ calls: string; size: string; journal: string }>(
      `select (select count(*) from generations) as calls, pg_size_pretty(pg_database_size(current_database())) as size,
              pg_size_pretty(pg_total_relation_size('journal_entries')) as journal`,
    );
    console.log(
      `${rows[0]?.calls} calls over ${values.months} months, ${rows[0]?.size}, of that ${rows[0]?.journal} journal; filled in ${(filledMs / 60_000).toFixed(1)} minutes.\n`,
    );
    console.log('| what | measured |\n|---|---|');
    const database = openDatabase(server.url, silentLogger);
    const books = createBooks({ connect: sessionsOf(server.url), database, clock: systemClock, logger: silentLogger });
    const sealMs = await timed(() => books.closeMonths());
    console.log(`| sealing all months | ${(sealMs / 1_000).toFixed(1)} s |`);
    if (values.wait) {
      const terminal = createInterface({ input: process.stdin, output: process.stderr });
      await terminal.question('Filled and sealed. Enter begins to measure. ');
      terminal.close();
    }
    const filled: Side = { gateway: await startBenchGateway(server.url), client };
    const empty: Side = { gateway: await startBenchGateway(emptyUrl), client: await connected(emptyUrl) };
    await check(filled, 'from the last sealed month', '?full=true');
    await check(filled, 'from where the last one ended');
    await filled.gateway.call(customer.key);
    await check(filled, 'from where the last one ended, a call later');
    const month = new Date(Date.now() - 70 * 86_400_000).toISOString().slice(0, 7);
    const monthMs = await timed(() => filled.gateway.operate('GET', `/admin/v1/ledger/check?month=${month}`));
    console.log(`| self-check of a closed month | ${(monthMs / 1_000).toFixed(1)} s |`);
    await measureReads(filled, customer);
    await compare(empty, filled);
    await empty.gateway.close();
    await filled.gateway.close();
    await empty.client.end();
    await database.close();
  } finally {
    await client.end();
    await server.stop();
  }
}

const folder = await mkdtemp(join(values.folder, 'tollgate-filled-'));
try {
  await run(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
