// The roll-ups, and what they should be by the records, computed here in another way, so that the test does not repeat
// a mistake of the product.

import type { Client } from 'pg';
import { folded } from '../folded.ts';

export const ROLL_UPS = ['usage_daily', 'usage_hourly', 'usage_absorbed', 'usage_unpaid'] as const;

type Figures = Record<string, string>;

/** Every row of every roll-up as text, in an order of its own, when all calls are folded. */
export async function readRollUps(client: Client): Promise<Record<string, string[]>> {
  const read: Record<string, string[]> = {};
  await folded(async (text) => (await client.query(text)).rows);
  for (const table of ROLL_UPS) {
    const { rows } = await client.query<{ text: string }>(`select t::text as text from ${table} t order by 1`);
    read[table] = rows.map(({ text }) => text);
  }
  return read;
}

function add(sums: Map<string, Record<string, bigint>>, name: string, figures: Record<string, bigint>): void {
  const known = sums.get(name) ?? {};
  for (const [figure, amount] of Object.entries(figures)) known[figure] = (known[figure] ?? 0n) + amount;
  sums.set(name, known);
}

type RecordRow = Figures & { at: string };

/** One map for each roll-up, computed record by record. */
export async function sumRecords(client: Client): Promise<Record<string, Map<string, Record<string, bigint>>>> {
  const { rows } = await client.query<RecordRow>(
    `select account_id, user_id, key_id, model_id, coalesce(app_name, '') as app, upstream_status::text as status,
            coalesce(team_id, '') as team, (subtotal_nano_usd - cache_discount_nano_usd)::text as by_usage,
            to_char(created_at at time zone 'UTC', 'YYYY-MM-DD HH24') as at, prompt_tokens::text as prompt,
            completion_tokens::text as completion, cost_nano_usd::text as cost, absorbed_nano_usd::text as absorbed,
            coalesce(absorbed_reason, '') as reason, coalesce(markup_nano_usd, 0)::text as markup
     from generations`,
  );
  const sums = Object.fromEntries(ROLL_UPS.map((table) => [table, new Map<string, Record<string, bigint>>()]));
  for (const row of rows) {
    const who = [row.account_id, row.user_id];
    const what = [row.key_id, row.model_id, row.app];
    const prompt = BigInt(row.prompt ?? 0);
    const completion = BigInt(row.completion ?? 0);
    const cost = BigInt(row.cost ?? 0);
    const failed = Number(row.status) >= 200 && Number(row.status) < 300 ? 0n : 1n;
    const hourly = { requests: 1n, tokens: prompt + completion, cost };
    const upstream = cost > 0n ? BigInt(row.by_usage ?? 0) : 0n;
    const daily = { requests: 1n, failed, prompt, completion, cost, upstream, markup: BigInt(row.markup ?? 0) };
    add(sums.usage_daily!, [row.at.slice(0, 10), ...who, ...what, row.team].join('|'), daily);
    add(sums.usage_hourly!, [row.at, ...who, ...what].join('|'), hourly);
    const absorbed = BigInt(row.absorbed ?? 0);
    if (absorbed === 0n) continue;
    const unpaid = [row.at.slice(0, 10), ...who, row.reason];
    add(sums.usage_absorbed!, unpaid.join('|'), { requests: 1n, absorbed });
    add(sums.usage_unpaid!, [...unpaid, row.model_id].join('|'), { requests: 1n, absorbed });
  }
  return sums;
}

const kept: Record<(typeof ROLL_UPS)[number], string> = {
  usage_daily: `select concat_ws('|', day, account_id, user_id, key_id, model_id, app_name, team_id) as name,
                  sum(requests) as requests, sum(failed_requests) as failed, sum(prompt_tokens) as prompt,
                  sum(completion_tokens) as completion, sum(cost_nano_usd) as cost, sum(upstream_nano_usd) as upstream,
                  sum(markup_nano_usd) as markup
                from usage_daily_now group by 1`,
  usage_hourly: `select concat_ws('|', day || ' ' || lpad((place - 1)::text, 2, '0'), account_id, user_id, key_id,
                   model_id, app_name) as name, sum(requests[place]) as requests, sum(tokens[place]) as tokens,
                   sum(cost_nano_usd[place]) as cost
                 from usage_hourly_now, generate_series(1, 24) as place
                 where (requests[place], tokens[place], cost_nano_usd[place]) <> (0, 0, 0) group by 1`,
  usage_absorbed: `select concat_ws('|', day, account_id, user_id, reason) as name, sum(requests) as requests,
                     sum(absorbed_nano_usd) as absorbed from usage_absorbed_now group by 1`,
  usage_unpaid: `select concat_ws('|', day, account_id, user_id, reason, model_id) as name, sum(requests) as requests,
                   sum(absorbed_nano_usd) as absorbed from usage_unpaid_now group by 1`,
};

/** The roll-ups in the form of `sumRecords`. */
export async function readSums(client: Client): Promise<Record<string, Map<string, Record<string, bigint>>>> {
  const read: Record<string, Map<string, Record<string, bigint>>> = {};
  for (const table of ROLL_UPS) {
    const { rows } = await client.query<Figures>(kept[table]);
    read[table] = new Map(
      rows.map(({ name, ...figures }) => [
        name ?? '',
        Object.fromEntries(Object.entries(figures).map(([figure, amount]) => [figure, BigInt(amount)])),
      ]),
    );
  }
  return read;
}
