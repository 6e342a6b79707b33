// An account's usage in a span of time, by model, key, application and day or hour. The totals are made from the same
// rows, so they equal the sum by model.

import type { Queryable } from '../../platform/db/database.ts';
import type { NanoUsd } from '../../platform/money.ts';
import * as store from './store/report.ts';

export type Sums = Readonly<{
  spentNanoUsd: NanoUsd;
  requests: number;
  promptTokens: number;
  completionTokens: number;
}>;

/** A bucket is a day, or an hour as a moment. */
type BucketOfModel = Sums & Readonly<{ bucket: string; modelId: string }>;
export type SumsOfModel = Sums & Readonly<{ modelId: string }>;
/** The name is null when the key is no longer known. */
export type SumsOfKey = Sums & Readonly<{ keyId: string; keyName: string | null }>;
/** The name is null for calls that did not name their application. */
export type SumsOfApp = Sums & Readonly<{ appName: string | null }>;

export type Report = Readonly<{
  totals: Sums;
  models: readonly SumsOfModel[];
  keys: readonly SumsOfKey[];
  apps: readonly SumsOfApp[];
  buckets: readonly BucketOfModel[];
}>;

export type ReportQuery = store.SpanQuery;

export const NO_SUMS: Sums = { spentNanoUsd: 0n, requests: 0, promptTokens: 0, completionTokens: 0 };

export function toSums(row: store.SumsRow): Sums {
  return {
    spentNanoUsd: row.cost_nano_usd,
    requests: Number(row.requests),
    promptTokens: Number(row.prompt_tokens),
    completionTokens: Number(row.completion_tokens),
  };
}

const addSums = (left: Sums, right: Sums): Sums => ({
  spentNanoUsd: left.spentNanoUsd + right.spentNanoUsd,
  requests: left.requests + right.requests,
  promptTokens: left.promptTokens + right.promptTokens,
  completionTokens: left.completionTokens + right.completionTokens,
});

type KeyColumns = Readonly<{ key_id: string | null; key_name: string | null }>;

export const toKey = (row: store.SumsRow & KeyColumns): SumsOfKey => ({
  keyId: row.key_id ?? '',
  keyName: row.key_name,
  ...toSums(row),
});

export const toApp = (row: store.SumsRow & Readonly<{ app_name: string | null }>): SumsOfApp => ({
  appName: row.app_name === '' ? null : row.app_name,
  ...toSums(row),
});

function sumModels(buckets: readonly BucketOfModel[]): SumsOfModel[] {
  const models = new Map<string, Sums>();
  for (const bucket of buckets) models.set(bucket.modelId, addSums(models.get(bucket.modelId) ?? NO_SUMS, bucket));
  return [...models].map(([modelId, sums]) => ({ modelId, ...sums })).sort(bySpend);
}

/** A day or hour of one of the largest keys or applications. */
export type BucketOfSeries = Sums & Readonly<{ bucket: string; id: string; name: string | null }>;

export async function readSeries(
  queryable: Queryable,
  query: ReportQuery,
  kind: store.SeriesKind,
): Promise<readonly BucketOfSeries[]> {
  const rows = await store.readSeries(queryable, query, kind);
  return rows.map((row) => ({ bucket: row.bucket, id: row.id, name: row.name, ...toSums(row) }));
}

/** The highest cost comes first; with equal cost, the most calls. */
function bySpend(left: Sums, right: Sums): number {
  if (left.spentNanoUsd !== right.spentNanoUsd) return left.spentNanoUsd > right.spentNanoUsd ? -1 : 1;
  return right.requests - left.requests;
}

export async function readReport(queryable: Queryable, query: ReportQuery): Promise<Report> {
  const rows = await store.readReport(queryable, query);
  const buckets = rows
    .filter((row) => row.kind === 'bucket')
    .map((row) => ({ bucket: row.bucket ?? '', modelId: row.model_id ?? '', ...toSums(row) }));
  return {
    totals: buckets.reduce<Sums>(addSums, NO_SUMS),
    models: sumModels(buckets),
    keys: rows.filter((row) => row.kind === 'key').map(toKey),
    apps: rows.filter((row) => row.kind === 'app').map(toApp),
    buckets,
  };
}
