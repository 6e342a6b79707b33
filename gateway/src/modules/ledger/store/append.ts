// The statement that an answer waits for. It only adds rows: the entries and records of finished calls, and one row
// that says they are not folded yet. The process's slices carry every charge, so no account is locked; a process that
// was swept has no slices, and then nothing is added. One entry that is there already makes the whole statement fail.

import { binaryArray, hasBinaryForm } from '../../../platform/db/array-binary.ts';
import { arrayText, elementText, isPlain } from '../../../platform/db/array-text.ts';
import { errorCode } from '../../../platform/db/connection-failure.ts';
import { type Queryable, type Statement, sql } from '../../../platform/db/database.ts';
import type { NanoUsd } from '../../../platform/money.ts';
import { knownCounter } from '../fund.ts';
import {
  attemptLog,
  autoDecision,
  countedUnits,
  type FinishedCall,
  reviewLog,
  storableCount,
  storableInteger,
  storableText,
} from '../settlement-entry.ts';

/** A time is in milliseconds. */
type Value = string | number | bigint | boolean | null;

/** A column of a record: its type as a parameter, the expression made of it, and its value. */
type Column = Readonly<{
  name: string;
  type: string;
  /** Text that was made here and is stored as it is; any other may be too long, or have letters that cannot be stored. */
  isOurs?: true;
  /** What is stored where the value is null. */
  otherwise?: string;
  of(call: FinishedCall): Value;
}>;

/** Null stands for zero, which most calls have in most of these columns. */
const tokens = (name: string, of: (call: FinishedCall) => number): Column => ({
  name,
  type: 'bigint',
  otherwise: '0',
  of: (call) => storableCount(of(call)) || null,
});

const unlessZero = (amountNanoUsd: NanoUsd): NanoUsd | null => (amountNanoUsd === 0n ? null : amountNanoUsd);
const json = (value: unknown): string | null => (value === null || value === undefined ? null : JSON.stringify(value));

/** The first four are also on the row of the batch. */
const columns: readonly Column[] = [
  { name: 'id', type: 'text', of: ({ record }) => record.id },
  { name: 'created_at', type: 'timestamptz', of: ({ record }) => Math.round(record.createdAtMs) },
  { name: 'account_id', type: 'text', of: ({ record }) => record.accountId },
  { name: 'cost_nano_usd', type: 'bigint', of: ({ chargeNanoUsd }) => chargeNanoUsd },
  { name: 'user_id', type: 'text', of: ({ record }) => record.userId },
  { name: 'key_id', type: 'text', of: ({ record }) => record.keyId },
  { name: 'operation', type: 'text', of: ({ record }) => record.operation },
  { name: 'model_id', type: 'text', of: ({ record }) => record.modelId },
  { name: 'provider_name', type: 'text', of: ({ record }) => record.providerName },
  { name: 'upstream_model', type: 'text', of: ({ record }) => record.upstreamModel },
  { name: 'app_name', type: 'text', of: ({ record }) => record.appName },
  { name: 'finish_reason', type: 'text', of: ({ record }) => record.finishReason },
  { name: 'upstream_status', type: 'integer', of: ({ record }) => storableInteger(record.upstreamStatus) },
  { name: 'is_stream', type: 'boolean', of: ({ record }) => record.isStream },
  { name: 'is_failover', type: 'boolean', of: ({ record }) => record.isFailover },
  { name: 'duration_ms', type: 'integer', of: ({ record }) => storableInteger(record.durationMs) },
  {
    name: 'first_token_ms',
    type: 'integer',
    of: ({ record }) => (record.firstTokenMs === null ? null : storableInteger(record.firstTokenMs)),
  },
  tokens('prompt_tokens', ({ record }) => record.usage.promptTokens),
  tokens('completion_tokens', ({ record }) => record.usage.completionTokens),
  tokens('cached_tokens', ({ record }) => record.usage.cachedTokens),
  tokens('cache_write_tokens', ({ record }) => record.usage.cacheWriteTokens),
  tokens('reasoning_tokens', ({ record }) => record.usage.reasoningTokens),
  tokens('prompt_audio_tokens', ({ record }) => record.usage.promptAudioTokens),
  tokens('completion_image_tokens', ({ record }) => record.usage.completionImageTokens),
  { name: 'subtotal_nano_usd', type: 'bigint', of: ({ record }) => record.subtotalNanoUsd },
  {
    name: 'cache_discount_nano_usd',
    type: 'bigint',
    otherwise: '0',
    of: ({ record }) => unlessZero(record.cacheDiscountNanoUsd),
  },
  {
    name: 'absorbed_nano_usd',
    type: 'bigint',
    otherwise: '0',
    of: ({ record, chargeNanoUsd }) => unlessZero(record.absorbedNanoUsd + record.costNanoUsd - chargeNanoUsd),
  },
  {
    name: 'absorbed_reason',
    type: 'text',
    of: ({ record, chargeNanoUsd }) =>
      record.absorbedReason ?? (record.costNanoUsd > chargeNanoUsd ? 'exhausted' : null),
  },
  { name: 'attempts', type: 'integer', of: ({ record }) => storableInteger(record.attempts) },
  {
    name: 'attempt_log',
    type: 'jsonb',
    of: ({ record }) => (record.attemptLog === null ? null : json(attemptLog(record.attemptLog))),
  },
  {
    name: 'auto_decision',
    type: 'jsonb',
    of: ({ record }) => (record.autoDecision === null ? null : json(autoDecision(record.autoDecision))),
  },
  {
    name: 'reviews',
    type: 'jsonb',
    of: ({ record }) => (record.reviews === null ? null : json(reviewLog(record.reviews))),
  },
  { name: 'team_id', type: 'text', of: ({ teamId }) => teamId ?? null },
  {
    name: 'free_units',
    type: 'integer',
    otherwise: '0',
    of: ({ record }) => storableInteger(record.freeUnits ?? 0) || null,
  },
  { name: 'markup_nano_usd', type: 'bigint', of: ({ record }) => unlessZero(record.markupNanoUsd) },
  { name: 'units', type: 'jsonb', of: ({ record }) => json(countedUnits(record.usage.units)) },
];

/** Columns that only the entry has. */
const entryColumns: readonly Column[] = [
  { name: 'price_list_id', type: 'text', isOurs: true, of: ({ priceList }) => priceList?.id ?? null },
  {
    name: 'counter_ids',
    type: 'text',
    isOurs: true,
    of: ({ caps, chargeNanoUsd }) =>
      caps.length === 0 || chargeNanoUsd === 0n ? null : arrayText(caps.map(({ slice }) => knownCounter(slice.fund))),
  },
];

const allColumns = [...columns, ...entryColumns];
const enteredColumns = allColumns.filter(
  (column) => entryColumns.includes(column) || ['id', 'account_id', 'cost_nano_usd'].includes(column.name),
);
const BATCH_PARAMETERS = 4;
const names = (of: readonly Column[]): string => of.map(({ name }) => name).join(', ');
const stored = columns.map(({ name, otherwise }) =>
  otherwise === undefined ? `t.${name}` : `coalesce(t.${name}, ${otherwise})`,
);

/**
 * Where the statement reads the calls from, as `t`: all of their columns, or those that an entry has. In the list of a
 * SELECT, other than in its FROM, `unnest` needs no store of its own for every column.
 */
type Reader = (of: readonly Column[]) => string;

/**
 * `ids` and those after it are the arrays of the batch's row. The process is looked for with that row: one that is not
 * there leaves its place empty, which fails the whole statement.
 */
const appendText = (calls: Reader, [ids, times, accounts, amounts]: readonly string[]): string =>
  `WITH entered AS (
     INSERT INTO journal_entries (
       debit_account_id, credit_account_id, amount_nano_usd, kind, generation_id, price_list_id, counter_ids
     )
     SELECT t.account_id, 'system-revenue', t.cost_nano_usd, 'charge', t.id, t.price_list_id, t.counter_ids::bigint[]
     FROM (${calls(enteredColumns)}) t
     WHERE t.cost_nano_usd > 0
   ), recorded AS (
     INSERT INTO generations (${names(columns)})
     SELECT ${stored.join(', ')} FROM (${calls(columns)}) t
   )
   INSERT INTO unfolded_batches (
     process_id, generation_ids, called_at, account_ids, amounts, counter_ids, counter_amounts, counter_parts
   )
   VALUES (
     (SELECT id FROM processes WHERE id = $1 FOR KEY SHARE),
     ${ids}, ${times}, ${accounts}, ${amounts}, $2::bigint[], $3::bigint[], $4::bigint[]
   )`;

const parameter = (column: Column): string => `$${BATCH_PARAMETERS + 1 + allColumns.indexOf(column)}::${column.type}[]`;

const appendStatement = sql(
  'ledger_append_calls',
  appendText(
    (of) => `SELECT ${of.map((column) => `unnest(${parameter(column)}) AS ${column.name}`).join(', ')}`,
    columns.map(parameter),
  ),
);

// A call by itself, as most are at a low load: unpacking arrays would be most of the work, and parameters for what most
// calls do not have a tenth of it. So there is a statement for each set of columns that calls have, as long as there are
// few, because every connection keeps the plan of each.

const SHAPES_MAX = 16;
/** More than the operators for bits take. */
const bits = allColumns.map((_, index) => 2 ** index);
const statementsOfOne = new Map<number, Statement>();

/** `shape` has a bit for each column that is there. */
function statementOfOne(shape: number): Statement | undefined {
  const known = statementsOfOne.get(shape);
  if (known !== undefined || statementsOfOne.size === SHAPES_MAX) return known;
  const places = new Map<Column, number>();
  for (const [index, column] of allColumns.entries()) {
    const isThere = Math.floor(shape / (bits[index] as number)) % 2 === 1;
    if (isThere) places.set(column, BATCH_PARAMETERS + 1 + places.size);
  }
  const value = (column: Column): string => {
    const place = places.get(column);
    return `${place === undefined ? 'NULL' : `$${place}`}::${column.type}`;
  };
  const text = appendText(
    (of) => `SELECT ${of.map((column) => `${value(column)} AS ${column.name}`).join(', ')}`,
    columns.map((column) => `ARRAY[${value(column)}]`),
  );
  const made = sql(`ledger_append_call_${shape.toString(36)}`, text);
  statementsOfOne.set(shape, made);
  return made;
}

const EVERY_COLUMN = bits.reduce((sum, bit) => sum + bit);
statementOfOne(EVERY_COLUMN);

function valueText(value: Exclude<Value, null>, { type, isOurs }: Column): string {
  if (typeof value === 'string') {
    return type !== 'text' || isOurs === true || isPlain(value) ? value : storableText(value);
  }
  return type === 'timestamptz' ? new Date(Number(value)).toISOString() : String(value);
}

function columnArray(column: Column, calls: readonly FinishedCall[]): string | Buffer | null {
  const { of, type } = column;
  if (calls.every((call) => of(call) === null)) return null;
  const binary = hasBinaryForm(type)
    ? binaryArray(type, calls, of as (call: FinishedCall) => Exclude<Value, string>)
    : null;
  return binary ?? textArray(column, calls);
}

/** Most calls of a batch have the texts of the one before them, which are not looked through again. */
function textArray(column: Column, calls: readonly FinishedCall[]): string {
  let last: Value = null;
  let element = elementText(null);
  const elements = calls.map((call) => {
    const value = column.of(call);
    if (value === last) return element;
    last = value;
    element = elementOf(value, column);
    return element;
  });
  return arrayText(elements);
}

const elementOf = (value: Value, column: Column): string =>
  typeof value === 'string' && isPlain(value) ? value : elementText(value === null ? null : valueText(value, column));

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

/** What lies together in a table is added to an index by account in one place, with fewer splits of its pages. */
function byAccount(a: FinishedCall, b: FinishedCall): number {
  if (a.record.accountId === b.record.accountId) return 0;
  return a.record.accountId < b.record.accountId ? -1 : 1;
}

/** Every charge must be held in a slice of this process. False, with nothing added, when the process was swept. */
export function appendCalls(queryable: Queryable, processId: string, calls: readonly FinishedCall[]): Promise<boolean> {
  const [only] = calls;
  const isOne = calls.length === 1 && only !== undefined;
  return (isOne ? appendOne(queryable, processId, only) : appendMany(queryable, processId, calls)).then(
    isAdded,
    isSwept,
  );
}

function appendMany(queryable: Queryable, processId: string, calls: readonly FinishedCall[]): Promise<unknown> {
  const values: (string | Buffer | null)[] = [processId, ...countersText(calls)];
  const ordered = [...calls].sort(byAccount);
  for (const column of allColumns) values.push(columnArray(column, ordered));
  return queryable.query(appendStatement, values);
}

function appendOne(queryable: Queryable, processId: string, call: FinishedCall): Promise<unknown> {
  const values: (string | null)[] = [processId, ...countersText([call])];
  let shape = 0;
  for (const [index, column] of allColumns.entries()) {
    const value = column.of(call);
    if (value !== null) shape += bits[index] as number;
    values.push(value === null ? null : valueText(value, column));
  }
  const statement = statementOfOne(shape);
  if (statement !== undefined) return queryable.query(statement, values.filter(isPresent));
  return queryable.query(statementOfOne(EVERY_COLUMN) as Statement, values);
}

const isPresent = (value: string | null): boolean => value !== null;

const isAdded = (): boolean => true;

const NOT_NULL_VIOLATION = '23502';

/** The process has no row any more. Any other error is the caller's. */
function isSwept(error: unknown): boolean {
  const { column } = error as { column?: string };
  if (errorCode(error) !== NOT_NULL_VIOLATION || column !== 'process_id') throw error;
  return false;
}
