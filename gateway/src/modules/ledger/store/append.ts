// The statement that an answer waits for: it only adds rows, the entries and the records of finished calls and one row
// that says they are not folded yet. It relies on the process's slices, which carry every charge, so it locks no account;
// a process that was swept has none, and then nothing is added. An entry that is there already fails all of it.

import { arrayText, elementText } from '../../../platform/db/array-text.ts';
import { type Queryable, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { knownCounter } from '../cap-funds.ts';
import { attemptLog, autoDecision, countedUnits, type FinishedCall } from '../settlement-entry.ts';
import { storableCount, storableInteger, storableText } from '../storable.ts';

/** A column of a record: its type on the way, what it is made of there, and its element of the array. */
type Column = Readonly<{
  name: string;
  type: string;
  /** The expression over `t`, where it is not the element itself. */
  value?: string;
  /** An element that most calls have: where all have it, the array is left out. */
  usual?: string;
  of(call: FinishedCall): string;
}>;

const text = (value: string | null): string => elementText(value === null ? null : storableText(value));

const NOTHING = 'NULL';

function tokens(name: string, of: (call: FinishedCall) => number): Column {
  return {
    name,
    type: 'bigint',
    value: `coalesce(t.${name}, 0)`,
    usual: '0',
    of: (call) => `${storableCount(of(call))}`,
  };
}

const isCut = ({ record, chargeNanoUsd }: FinishedCall): boolean => record.costNanoUsd > chargeNanoUsd;

/** The first four stand on the row of the batch too. */
const columns: readonly Column[] = [
  { name: 'id', type: 'text', of: ({ record }) => text(record.id) },
  {
    name: 'created_at',
    type: 'double precision',
    value: 'to_timestamp(t.created_at / 1000)',
    of: ({ record }) => `${Math.round(record.createdAtMs)}`,
  },
  { name: 'account_id', type: 'text', of: ({ record }) => text(record.accountId) },
  { name: 'cost_nano_usd', type: 'bigint', of: ({ chargeNanoUsd }) => `${chargeNanoUsd}` },
  { name: 'user_id', type: 'text', of: ({ record }) => text(record.userId) },
  { name: 'key_id', type: 'text', of: ({ record }) => text(record.keyId) },
  { name: 'operation', type: 'text', of: ({ record }) => text(record.operation) },
  { name: 'model_id', type: 'text', of: ({ record }) => text(record.modelId) },
  { name: 'provider_name', type: 'text', of: ({ record }) => text(record.providerName) },
  { name: 'upstream_model', type: 'text', of: ({ record }) => text(record.upstreamModel) },
  { name: 'app_name', type: 'text', usual: NOTHING, of: ({ record }) => text(record.appName) },
  { name: 'finish_reason', type: 'text', usual: NOTHING, of: ({ record }) => text(record.finishReason) },
  { name: 'upstream_status', type: 'integer', of: ({ record }) => `${storableInteger(record.upstreamStatus)}` },
  { name: 'is_stream', type: 'boolean', of: ({ record }) => (record.isStream ? 't' : 'f') },
  { name: 'is_failover', type: 'boolean', of: ({ record }) => (record.isFailover ? 't' : 'f') },
  { name: 'duration_ms', type: 'integer', of: ({ record }) => `${storableInteger(record.durationMs)}` },
  {
    name: 'first_token_ms',
    type: 'integer',
    usual: NOTHING,
    of: ({ record }) => (record.firstTokenMs === null ? NOTHING : `${storableInteger(record.firstTokenMs)}`),
  },
  tokens('prompt_tokens', ({ record }) => record.usage.promptTokens),
  tokens('completion_tokens', ({ record }) => record.usage.completionTokens),
  tokens('cached_tokens', ({ record }) => record.usage.cachedTokens),
  tokens('cache_write_tokens', ({ record }) => record.usage.cacheWriteTokens),
  tokens('reasoning_tokens', ({ record }) => record.usage.reasoningTokens),
  tokens('prompt_audio_tokens', ({ record }) => record.usage.promptAudioTokens),
  tokens('completion_image_tokens', ({ record }) => record.usage.completionImageTokens),
  { name: 'subtotal_nano_usd', type: 'bigint', of: ({ record }) => `${record.subtotalNanoUsd}` },
  {
    name: 'cache_discount_nano_usd',
    type: 'bigint',
    value: 'coalesce(t.cache_discount_nano_usd, 0)',
    usual: '0',
    of: ({ record }) => `${record.cacheDiscountNanoUsd}`,
  },
  {
    name: 'absorbed_nano_usd',
    type: 'bigint',
    value: 'coalesce(t.absorbed_nano_usd, 0)',
    usual: '0',
    of: ({ record, chargeNanoUsd }) => `${record.absorbedNanoUsd + record.costNanoUsd - chargeNanoUsd}`,
  },
  {
    name: 'absorbed_reason',
    type: 'text',
    usual: NOTHING,
    of: (call) => text(call.record.absorbedReason ?? (isCut(call) ? 'exhausted' : null)),
  },
  { name: 'attempts', type: 'integer', of: ({ record }) => `${storableInteger(record.attempts)}` },
  {
    name: 'attempt_log',
    type: 'jsonb',
    usual: NOTHING,
    of: ({ record }) => (record.attemptLog === null ? NOTHING : json(attemptLog(record.attemptLog))),
  },
  {
    name: 'auto_decision',
    type: 'jsonb',
    usual: NOTHING,
    of: ({ record }) => (record.autoDecision === null ? NOTHING : json(autoDecision(record.autoDecision))),
  },
  { name: 'team_id', type: 'text', usual: NOTHING, of: ({ teamId }) => text(teamId ?? null) },
  {
    name: 'free_units',
    type: 'integer',
    value: 'coalesce(t.free_units, 0)',
    usual: '0',
    of: ({ record }) => `${storableInteger(record.freeUnits ?? 0)}`,
  },
  { name: 'units', type: 'jsonb', usual: NOTHING, of: ({ record }) => json(countedUnits(record.usage.units)) },
];

const json = (value: unknown): string =>
  elementText(value === null || value === undefined ? null : JSON.stringify(value));

/** What only the entry has. */
const entryColumns: readonly Column[] = [
  { name: 'price_list_id', type: 'text', usual: NOTHING, of: ({ priceList }) => elementText(priceList?.id ?? null) },
  {
    name: 'counter_ids',
    type: 'text',
    usual: NOTHING,
    of: ({ caps, chargeNanoUsd }) =>
      caps.length === 0 || chargeNanoUsd === 0n
        ? NOTHING
        : elementText(arrayText(caps.map(({ slice }) => knownCounter(slice.fund)))),
  },
];

const BATCH_PARAMETERS = 4;
const parameterOf = (index: number): string => `$${BATCH_PARAMETERS + 1 + index}`;
const arrays = [...columns, ...entryColumns].map(({ type }, index) => `${parameterOf(index)}::${type}[]`);
const names = (of: readonly Column[]): string => of.map(({ name }) => name).join(', ');
const [ids, times, accounts, amounts] = arrays;
const ENTRY_PRICE = arrays[columns.length];
const ENTRY_COUNTERS = arrays[columns.length + 1];

const appendStatement = sql(
  'ledger_append_calls',
  `with me as materialized (
     select id from processes where id = $1 for key share
   ), entered as (
     insert into ledger_entries (
       debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, price_list_id, counter_ids
     )
     select t.account_id, 'system-revenue', t.amount, 'charge', t.id, t.price_list_id, t.counter_ids::bigint[]
     from me cross join unnest(${ids}, ${accounts}, ${amounts}, ${ENTRY_PRICE}, ${ENTRY_COUNTERS})
       as t (id, account_id, amount, price_list_id, counter_ids)
     where t.amount > 0
   ), recorded as (
     insert into generations (${names(columns)})
     select ${columns.map(({ name, value }) => value ?? `t.${name}`).join(', ')}
     from me cross join unnest(${arrays.slice(0, columns.length).join(', ')}) as t (${names(columns)})
   ), marked as (
     insert into unfolded_batches (
       process_id, generation_ids, called_at, account_ids, amounts, counter_ids, counter_amounts, counter_parts
     )
     select me.id, ${ids}, array(select to_timestamp(t / 1000) from unnest(${times}) t), ${accounts}, ${amounts},
            $2::bigint[], $3::bigint[], $4::bigint[]
     from me
   )
   select id from me`,
);

function columnText({ of, usual }: Column, calls: readonly FinishedCall[]): string | null {
  let joined = '';
  let isUsual = usual !== undefined;
  for (const call of calls) {
    const element = of(call);
    if (element !== usual) isUsual = false;
    joined = joined === '' ? element : `${joined},${element}`;
  }
  return isUsual ? null : `{${joined}}`;
}

type Counted = { amountNanoUsd: NanoUsd; partNanoUsd: NanoUsd };

/** What a batch counts against each counter, and what of it comes out of this process's slice. */
function countersText(calls: readonly FinishedCall[]): readonly [string, string, string] {
  const counted = new Map<string, Counted>();
  for (const { caps, chargeNanoUsd } of calls) {
    if (chargeNanoUsd === 0n) continue;
    for (const { slice, partNanoUsd } of caps) {
      const counterId = knownCounter(slice.fund);
      const sum = counted.get(counterId) ?? { amountNanoUsd: 0n, partNanoUsd: 0n };
      sum.amountNanoUsd += chargeNanoUsd;
      sum.partNanoUsd += partNanoUsd;
      counted.set(counterId, sum);
    }
  }
  const sums = [...counted.values()];
  return [
    arrayText([...counted.keys()]),
    arrayText(sums.map(({ amountNanoUsd }) => `${amountNanoUsd}`)),
    arrayText(sums.map(({ partNanoUsd }) => `${partNanoUsd}`)),
  ];
}

/** Every charge must be held in a slice of this process. False, with nothing added, when the process was swept. */
export async function appendCalls(
  queryable: Queryable,
  processId: string,
  calls: readonly FinishedCall[],
): Promise<boolean> {
  const values: (string | null)[] = [processId, ...countersText(calls)];
  for (const column of columns) values.push(columnText(column, calls));
  for (const column of entryColumns) values.push(columnText(column, calls));
  return (await queryable.query(appendStatement, values)).length === 1;
}
