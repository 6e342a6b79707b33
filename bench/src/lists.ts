// Every list that people read, on a gateway with many users, models and calls: how long it takes, how large it is, and
// what the database reads for it. `npm run bench:lists` first fills a database of its own, which takes a minute. Pages
// and rows do not depend on other load on the machine; times do.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { startEmbedded } from '../../gateway/src/platform/db/embedded/start-embedded.ts';
import { silentLogger } from '../../gateway/src/platform/logger.ts';
import { fill } from './filled/fill.ts';
import { type BenchGateway, type Customer, startBenchGateway } from './filled/gateway.ts';

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    users: { type: 'string', default: '2000' },
    models: { type: 'string', default: '500' },
    folder: { type: 'string', default: tmpdir() },
  },
});

const LIMIT_MS = 300;
const ROUNDS = 5;
const NEIGHBOURS = 1_000;

const OPERATORS = [
  '/admin/v1/overview',
  '/admin/v1/calls?limit=50',
  '/admin/v1/calls?limit=500',
  '/admin/v1/calls?limit=50&model=maker-3/model',
  '/admin/v1/calls?limit=50&outcome=failed',
  '/admin/v1/users?limit=100',
  '/admin/v1/users?limit=100&sort=balance',
  '/admin/v1/users?limit=100&query=person-19',
  '/admin/v1/orgs?limit=100',
  '/admin/v1/config',
  '/admin/v1/config/revisions',
  '/admin/v1/providers',
  '/admin/v1/health/routes',
  '/admin/v1/prices/findings',
  '/admin/v1/audit-log',
  '/admin/v1/orders',
  '/admin/v1/codes',
  '/admin/v1/absorbed',
  '/admin/v1/exposures',
];

const OWN = [
  '/v1/models?output_modalities=all',
  '/v1/statement?limit=100',
  '/v1/statement?by=day',
  '/v1/usage?period=month',
  '/v1/insights?period=30d',
  '/v1/credits/topups',
];

// People with calls have accounts already; the others have neither called nor paid.
const PEOPLE = `
  with people as (
    select case when n < ${NEIGHBOURS} then 'usr-neighbour-' || n else 'usr-person-' || n end as id,
           'person-' || n || '@example.com' as email, n
    from generate_series(0, $1::integer - 1) n
  ), opened as (
    insert into accounts (id) select id from people where n >= ${NEIGHBOURS} returning id
  )
  insert into users (id, email, email_normalized, name) select id, email, email, 'Person ' || n from people`;

type Side = Readonly<{ gateway: BenchGateway; client: Client; customer: Customer }>;
type Read = Readonly<{ pages: number; rows: number }>;

/** So far. Sessions report it only after being idle for a while. */
async function readOf({ client }: Side): Promise<Read> {
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  const { rows } = await client.query<Record<'pages' | 'rows', string>>(
    `select blks_hit + blks_read as pages, tup_returned + tup_fetched as rows
     from pg_stat_database where datname = current_database()`,
  );
  return { pages: Number(rows[0]?.pages), rows: Number(rows[0]?.rows) };
}

const median = (times: readonly number[]): number =>
  [...times].sort((left, right) => left - right)[times.length >> 1] ?? 0;

/** Subtracts what the gateway reads by itself in the same time, and what asking for these figures reads. */
async function measure(side: Side, path: string, idle: Read): Promise<boolean> {
  const { gateway, customer } = side;
  const ask = () => (path.startsWith('/admin') ? gateway.operate('GET', path) : gateway.ask('GET', path, customer.key));
  const times: number[] = [];
  let bytes = 0;
  const before = await readOf(side);
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedMs = performance.now();
    bytes = JSON.stringify(await ask()).length;
    times.push(performance.now() - startedMs);
  }
  const after = await readOf(side);
  const each = (name: keyof Read) => Math.max(0, Math.round((after[name] - before[name] - idle[name]) / ROUNDS));
  const tookMs = median(times);
  const figures = [`${(times[0] ?? 0).toFixed(0)} ms`, `${tookMs.toFixed(0)} ms`, `${(bytes / 1024).toFixed(0)} KB`];
  console.log(`| \`${path}\` | ${figures.join(' | ')} | ${each('pages')} | ${each('rows')} |`);
  return tookMs <= LIMIT_MS;
}

async function describeModels(gateway: BenchGateway, count: number): Promise<void> {
  const live = await gateway.operate('GET', '/admin/v1/config');
  const routes = [{ provider: 'sim', upstream_model: 'sim-tokens-100-20' }];
  const entry = { context_length: 128_000, pricing: { prompt: '0.5', completion: '1.5' }, routes };
  const models = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `maker-${index % 20}/model-${index}`,
      { ...entry, name: `Model ${index}` },
    ]),
  );
  await gateway.operate('PUT', '/admin/v1/config?confirm_prices=true', {
    ...live,
    models: { ...(live.models as object), ...models },
  });
}

async function run(folder: string): Promise<void> {
  const server = await startEmbedded({ dataFolder: join(folder, 'database'), logger: silentLogger });
  const client = new Client({ connectionString: server.url });
  client.on('error', () => {});
  await client.connect();
  try {
    const first = await startBenchGateway(server.url);
    const customer = await first.newCustomer();
    await first.close();
    const watched = { accountId: customer.userId, keyId: customer.keyId };
    await fill({ client, watched, calls: Number(values.calls), months: 1 }, () => {});
    await client.query(PEOPLE, [Number(values.users)]);
    const gateway = await startBenchGateway(server.url);
    await describeModels(gateway, Number(values.models));
    await client.query('vacuum analyze');
    const side: Side = { gateway, client, customer };
    const start = await readOf(side);
    const end = await readOf(side);
    const idle = { pages: end.pages - start.pages, rows: end.rows - start.rows };
    console.log(`${values.calls} calls, ${values.users} users, ${values.models} models, Node ${process.version}.\n`);
    console.log('| list | first | median of five | size | pages read | rows read |\n|---|---:|---:|---:|---:|---:|');
    let isSlow = false;
    for (const path of [...OPERATORS, ...OWN]) isSlow = !(await measure(side, path, idle)) || isSlow;
    console.log(`\n${isSlow ? 'Some take' : 'None takes'} longer than ${LIMIT_MS} ms.`);
    await gateway.close();
  } finally {
    await client.end();
    await server.stop();
  }
}

const folder = await mkdtemp(join(values.folder, 'tollgate-lists-'));
try {
  await run(folder);
} finally {
  await rm(folder, { recursive: true, force: true });
}
