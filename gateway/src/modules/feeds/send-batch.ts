// Sends a batch of records in the form of its feed. A collector that gets a batch twice can tell: every record has its
// id, and the same batch has the same name.

import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { DAY_MS, dayOf } from '../../canonical/calendar.ts';
import { usdNumber } from '../../platform/money.ts';
import type { AddressPurpose, Outbound } from '../../platform/outbound/outbound.ts';
import { tell } from '../../platform/outbound/paced-calls.ts';
import { webhookHeaders } from '../../platform/outbound/sign-webhook.ts';
import { signV4 } from '../../platform/sign-v4.ts';
import { encodeMetrics, type Histogram, type Measured } from '../../platform/tracing/encode-metrics.ts';
import { encodeSpans } from '../../platform/tracing/encode-spans.ts';
import type { AttributeValue, SpanRecord } from '../../platform/tracing/span.ts';
import type { FeedSettings } from './feed.ts';
import type { CallRow } from './store/items.ts';

export type SendParts = Readonly<{
  outbound: Pick<Outbound, 'request'>;
  purpose: AddressPurpose;
  /** Where files of feeds are kept. */
  folder: string;
}>;

export type FeedBatch = Readonly<{
  feedId: string;
  calls: readonly [CallRow, ...CallRow[]];
  nowMs: number;
  /** When the previous batch was taken. */
  sinceMs: number;
}>;

type Of<Form extends FeedSettings['form']> = Extract<FeedSettings, { form: Form }>;

const RESOURCE = { 'service.name': 'tollgate' };
const FILE_NAME = /^calls-(\d{4}-\d{2}-\d{2})\.jsonl$/;
const compress = promisify(gzip);

/** Null when it was taken. */
export function sendBatch(settings: FeedSettings, batch: FeedBatch, parts: SendParts): Promise<string | null> {
  if (settings.form === 'otlp') return sendTelemetry(settings, batch, parts);
  if (settings.form === 'http') return sendLines(settings, batch, parts);
  if (settings.form === 's3') return putObject(settings, batch, parts);
  return writeLines(settings, batch, parts);
}

async function sendTelemetry(
  { url, headers, signals }: Of<'otlp'>,
  { calls, nowMs, sinceMs }: FeedBatch,
  { outbound, purpose }: SendParts,
): Promise<string | null> {
  const base = url.replace(/\/+$/, '');
  const post = (path: string, body: string): Promise<string | null> =>
    tell(outbound, {
      url: base + path,
      purpose,
      headers: ['content-type', 'application/json', ...headers],
      body,
    });
  if (signals.includes('traces')) {
    const failure = await post('/v1/traces', encodeSpans(calls.map(spanOf), RESOURCE));
    if (failure !== null) return failure;
  }
  if (!signals.includes('metrics')) return null;
  return post('/v1/metrics', encodeMetrics(calls.flatMap(measuredOf), RESOURCE, { startMs: sinceMs, endMs: nowMs }));
}

function sendLines(
  { url, headers, secret }: Of<'http'>,
  batch: FeedBatch,
  { outbound, purpose }: SendParts,
): Promise<string | null> {
  const body = linesOf(batch);
  const signed = webhookHeaders(secret, { id: batchId(batch), sentAtMs: batch.nowMs, body });
  const own = ['content-type', 'application/x-ndjson', ...signed];
  return tell(outbound, { url, purpose, headers: [...own, ...headers], body });
}

async function putObject(
  settings: Of<'s3'>,
  batch: FeedBatch,
  { outbound, purpose }: SendParts,
): Promise<string | null> {
  const { region, accessKeyId, secretAccessKey } = settings;
  const body = await compress(linesOf(batch));
  const url = objectUrl(settings, batch);
  const digest = createHash('sha256').update(body).digest('hex');
  const call = { method: 'PUT', url, body, headers: { 'x-amz-content-sha256': digest }, nowMs: batch.nowMs };
  const signed = await signV4(call, { accessKeyId, secretAccessKey }, { region, service: 's3' });
  const headers = ['content-type', 'application/gzip', ...signed];
  return tell(outbound, { url, purpose, method: 'PUT', headers, body });
}

/** Named by the day of the oldest call, so that the calls of a day are in one folder. */
function objectUrl({ url, bucket, prefix }: Of<'s3'>, batch: FeedBatch): string {
  const day = dayOf(batch.calls[0].createdAt.getTime()).replaceAll('-', '/');
  return `${url.replace(/\/+$/, '')}/${bucket}/${prefix}${day}/${batch.calls[0].id}-${batchId(batch)}.jsonl.gz`;
}

async function writeLines({ keepDays }: Of<'file'>, batch: FeedBatch, { folder }: SendParts): Promise<string | null> {
  const place = join(folder, batch.feedId);
  try {
    await mkdir(place, { recursive: true, mode: 0o700 });
    const file = join(place, `calls-${dayOf(batch.nowMs)}.jsonl`);
    await appendFile(file, linesOf(batch), { mode: 0o600, flush: true });
    await removeOld(place, dayOf(batch.nowMs - keepDays * DAY_MS));
    return null;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : 'the file could not be written';
  }
}

async function removeOld(place: string, firstDay: string): Promise<void> {
  for (const name of await readdir(place)) {
    const [, day] = FILE_NAME.exec(name) ?? [];
    if (day !== undefined && day < firstDay) await rm(join(place, name), { force: true });
  }
}

function batchId({ calls }: FeedBatch): string {
  const digest = createHash('sha256');
  for (const { id } of calls) digest.update(`${id}\n`);
  return digest.digest('hex').slice(0, 24);
}

const linesOf = ({ calls }: FeedBatch): string => calls.map((call) => `${JSON.stringify(lineOf(call))}\n`).join('');

const lineOf = (call: CallRow): object => ({
  id: call.id,
  created_at: call.createdAt.toISOString(),
  account_id: call.accountId,
  user_id: call.userId,
  key_id: call.keyId,
  team_id: call.teamId,
  app_name: call.appName,
  operation: call.operation,
  model: call.modelId,
  provider: call.providerName,
  status: call.status,
  finish_reason: call.finishReason,
  streamed: call.isStream,
  attempts: call.attempts,
  duration_ms: call.durationMs,
  first_token_ms: call.firstTokenMs,
  prompt_tokens: Number(call.promptTokens),
  completion_tokens: Number(call.completionTokens),
  cached_tokens: Number(call.cachedTokens),
  cache_write_tokens: Number(call.cacheWriteTokens),
  reasoning_tokens: Number(call.reasoningTokens),
  units: call.units,
  cost: usdNumber(call.costNanoUsd),
});

// Records of calls by OpenTelemetry's conventions for generative AI: a span for each call, and histograms of tokens and
// times. Neither contains prompts or answers.

const SECONDS = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92];

const tokenUsage: Histogram = {
  name: 'gen_ai.client.token.usage',
  unit: '{token}',
  description: 'Number of input and output tokens used.',
  bounds: [1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864],
};

const operationDuration: Histogram = {
  name: 'gen_ai.client.operation.duration',
  unit: 's',
  description: 'GenAI operation duration.',
  bounds: SECONDS,
};

const timeToFirstChunk: Histogram = {
  name: 'gen_ai.client.operation.time_to_first_chunk',
  unit: 's',
  description: 'Time to receive the first chunk of a stream.',
  bounds: SECONDS,
};

const hasFailed = ({ status }: CallRow): boolean => status < 200 || status > 299;

/** A call without an answer has no status. */
const errorType = ({ status }: CallRow): string => (status === 0 ? '_OTHER' : String(status));

/** Span ids follow from the record's id, so that a span that arrives twice is recognized. */
function spanOf(call: CallRow): SpanRecord {
  const digest = createHash('sha256').update(call.id).digest('hex');
  const startMs = call.createdAt.getTime();
  return {
    traceId: digest.slice(0, 32),
    spanId: digest.slice(32, 48),
    parentSpanId: null,
    tracestate: null,
    name: `${call.operation} ${call.modelId}`,
    kind: 'client',
    startMs,
    endMs: startMs + call.durationMs,
    attributes: new Map(Object.entries(attributesOf(call))),
    hasFailed: hasFailed(call),
  };
}

function attributesOf(call: CallRow): Record<string, AttributeValue> {
  return {
    ...shared(call),
    'gen_ai.response.id': call.id,
    'gen_ai.request.stream': call.isStream,
    ...(call.finishReason === null ? {} : { 'gen_ai.response.finish_reasons': [call.finishReason] }),
    'gen_ai.usage.input_tokens': Number(call.promptTokens),
    'gen_ai.usage.output_tokens': Number(call.completionTokens),
    'gen_ai.usage.cache_read.input_tokens': Number(call.cachedTokens),
    'gen_ai.usage.cache_creation.input_tokens': Number(call.cacheWriteTokens),
    ...(call.isStream && call.firstTokenMs !== null
      ? { 'gen_ai.response.time_to_first_chunk': call.firstTokenMs / 1_000 }
      : {}),
    'http.response.status_code': call.status,
    'tollgate.account_id': call.accountId,
    'tollgate.user_id': call.userId,
    'tollgate.key_id': call.keyId,
    ...(call.teamId === null ? {} : { 'tollgate.team_id': call.teamId }),
    ...(call.appName === null ? {} : { 'tollgate.app_name': call.appName }),
    'tollgate.attempts': call.attempts,
    'tollgate.cost_usd': usdNumber(call.costNanoUsd),
  };
}

/** The attributes that spans and histograms have in common. */
const shared = (call: CallRow): Record<string, AttributeValue> => ({
  'gen_ai.operation.name': call.operation,
  'gen_ai.provider.name': call.providerName,
  'gen_ai.request.model': call.modelId,
  'gen_ai.response.model': call.modelId,
  ...(hasFailed(call) ? { 'error.type': errorType(call) } : {}),
});

function measuredOf(call: CallRow): readonly Measured[] {
  const attributes = shared(call);
  const { 'error.type': _failure, ...ofTokens } = attributes;
  const tokens = (type: 'input' | 'output', count: bigint): readonly Measured[] =>
    count === 0n
      ? []
      : [{ histogram: tokenUsage, attributes: { ...ofTokens, 'gen_ai.token.type': type }, value: Number(count) }];
  return [
    { histogram: operationDuration, attributes, value: call.durationMs / 1_000 },
    ...tokens('input', call.promptTokens),
    ...tokens('output', call.completionTokens),
    ...(call.isStream && call.firstTokenMs !== null
      ? [{ histogram: timeToFirstChunk, attributes, value: call.firstTokenMs / 1_000 }]
      : []),
  ];
}
