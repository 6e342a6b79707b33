// Fills a database with calls over many months, as if they had been made: records, entries, sums and balances that a
// self-check finds in order. It uses SQL, one day in each transaction, because the calls themselves would take days. It
// must run before any call on the database, because closed months take no entries.

import type { Client } from 'pg';

const NEIGHBOURS = 1_000;
const MODELS = 12;
/** The share of calls that belong to the account under observation. */
const WATCHED_SHARE = 0.05;
const CREDIT_NANO_USD = 1_000_000_000_000_000n;

type Watched = Readonly<{ accountId: string; keyId: string }>;
export type FillInput = Readonly<{ client: Client; watched: Watched; calls: number; months: number }>;

const OPEN = `
  with opened as (
    insert into accounts (id, balance_nano_usd, total_credited_nano_usd)
    select 'usr-neighbour-' || n, ${CREDIT_NANO_USD}, ${CREDIT_NANO_USD} from generate_series(0, ${NEIGHBOURS - 1}) n
    returning id
  ), raised as (
    update accounts set balance_nano_usd = balance_nano_usd + ${CREDIT_NANO_USD},
                        total_credited_nano_usd = total_credited_nano_usd + ${CREDIT_NANO_USD}
    where id = $1 returning id
  )
  insert into journal_entries (debit_account_id, credit_account_id, amount_nano_usd, kind, reference, created_at)
  select 'system-funding', id, ${CREDIT_NANO_USD}, 'credit', 'filled:' || id, $2::timestamptz
  from (select id from opened union all select id from raised) accounts`;

const MADE = `
  create temporary table made (
    id text, account_id text, key_id text, model_id text, app_name text, at timestamptz, cost bigint, prompt bigint,
    completion bigint
  )`;

const MAKE = `
  insert into made
  select 'gen-' || lpad(to_hex((extract(epoch from t.at) * 1000)::bigint), 12, '0')
           || substr(md5(random()::text || t.n), 1, 24),
         coalesce(w.account_id, 'usr-neighbour-' || t.neighbour), coalesce(w.key_id, 'key-neighbour-' || t.neighbour),
         'maker-' || t.model || '/model', 'Application ' || t.model % 5, t.at, 1000 + (t.chance * 2000000)::bigint,
         200 + (t.chance * 3000)::bigint, 50 + (t.chance * 900)::bigint
  from (
    select *, (case when is_watched then floor(random() * ${MODELS}) else neighbour + floor(random() * 2) end)::integer
                % ${MODELS} as model
    from (
      select n, $1::timestamptz + (n * 86400.0 / $2) * interval '1 second' as at, random() as chance,
             floor(${NEIGHBOURS} * power(random(), 2))::integer as neighbour, random() < ${WATCHED_SHARE} as is_watched
      from generate_series(0, $2::integer - 1) n
    ) drawn
  ) t left join (values ($3, $4)) as w (account_id, key_id) on t.is_watched
  where t.at < now()`;

const RECORDS = `
  insert into generations (
    id, account_id, user_id, key_id, operation, model_id, provider_name, upstream_model, app_name, finish_reason,
    upstream_status, is_stream, is_failover, created_at, duration_ms, first_token_ms, prompt_tokens, completion_tokens,
    cached_tokens, cache_write_tokens, reasoning_tokens, prompt_audio_tokens, completion_image_tokens, subtotal_nano_usd,
    cache_discount_nano_usd, cost_nano_usd, absorbed_nano_usd, attempts
  )
  select id, account_id, account_id, key_id, 'chat', model_id, 'maker', 'model', app_name, 'stop', 200, true, false, at,
         900, 200, prompt, completion, 0, 0, 0, 0, 0, cost, 0, cost, 0, 1
  from made`;

const ENTRIES = `
  insert into journal_entries (
    debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, created_at
  )
  select account_id, 'system-revenue', cost, 'charge', id, at + interval '900 milliseconds' from made order by at`;

const DAYS = `
  insert into usage_daily (
    account_id, day, user_id, key_id, model_id, app_name, team_id, requests, failed_requests, prompt_tokens,
    completion_tokens, cost_nano_usd, upstream_nano_usd, last_at
  )
  select account_id, $1::date, account_id, key_id, model_id, app_name, '', count(*), 0, sum(prompt), sum(completion),
         sum(cost), sum(cost), max(at)
  from made group by account_id, key_id, model_id, app_name`;

/** An element for each hour of the day. */
const byHour = (sum: string): string =>
  `array[${Array.from({ length: 24 }, (_, hour) => `coalesce(${sum} filter (where hour = ${hour}), 0)::bigint`).join(', ')}]`;

const HOURS = `
  insert into usage_hourly (account_id, day, user_id, key_id, model_id, app_name, requests, tokens, cost_nano_usd)
  select account_id, $1::date, account_id, key_id, model_id, app_name, ${byHour('count(*)')},
         ${byHour('sum(prompt + completion)')}, ${byHour('sum(cost)')}
  from (select *, extract(hour from at at time zone 'UTC')::integer as hour from made) made
  group by account_id, key_id, model_id, app_name`;

const BALANCES = `
  update accounts a set total_spent_nano_usd = a.total_spent_nano_usd + s.spent,
                        balance_nano_usd = a.balance_nano_usd - s.spent
  from (select account_id, sum(cost) as spent from made group by account_id) s where a.id = s.account_id`;

// Indexes that no constraint needs are made at the end, because each day would touch most of their pages.
const INDEXES = `
  select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as made
  from pg_index i join pg_class c on c.oid = i.indrelid
  where c.relname in ('generations', 'journal_entries', 'usage_daily', 'usage_hourly') and not i.indisunique`;

const DAY_MS = 86_400_000;

/** Calls back once for each month. */
export async function fill(input: FillInput, onMonth: (month: string) => void): Promise<void> {
  const { client, watched, calls, months } = input;
  const now = new Date();
  const startMs = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - months + 1, 1);
  const days = Math.ceil((now.getTime() - startMs) / DAY_MS);
  const perDay = Math.ceil(calls / days);
  await client.query('set synchronous_commit = off');
  // The triggers would look up old rows one by one.
  await client.query('set session_replication_role = replica');
  await client.query(MADE);
  const { rows: indexes } = await client.query<{ name: string; made: string }>(INDEXES);
  for (const { name } of indexes) await client.query(`drop index ${name}`);
  // Three steps, as after an upgrade, but from the first month on.
  for (let step = 0; step < 3; step += 1) await client.query('select begin_journal_months($1)', [new Date(startMs)]);
  // Entries are numbered in the order of time.
  await client.query('update journal_entries set created_at = $1', [new Date(startMs)]);
  await client.query(OPEN, [watched.accountId, new Date(startMs)]);
  for (let index = 0; index < days; index += 1) {
    const start = new Date(startMs + index * DAY_MS);
    const day = start.toISOString().slice(0, 10);
    if (day.endsWith('-01')) {
      await client.query('select ensure_generation_month($1::date)', [day]);
      await client.query('select ensure_journal_month($1::date)', [day]);
      onMonth(day.slice(0, 7));
    }
    await client.query('begin');
    await client.query(MAKE, [start, perDay, watched.accountId, watched.keyId]);
    for (const text of [RECORDS, ENTRIES, BALANCES]) await client.query(text);
    for (const text of [DAYS, HOURS]) await client.query(text, [day]);
    await client.query('commit');
    await client.query('truncate made');
  }
  await client.query('reset session_replication_role');
  for (const { made } of indexes) await client.query(made);
  for (const table of ['generations', 'journal_entries', 'usage_daily', 'usage_hourly', 'accounts']) {
    await client.query(`vacuum analyze ${table}`);
  }
}
