// Records of calls in the words of OpenTelemetry's conventions for generative AI: a span for each call, and histograms of
// tokens and times. Prompts and answers are in neither.

import { createHash } from 'node:crypto';
import { usdNumber } from '../../platform/money.ts';
import type { Histogram, Measured } from '../../platform/tracing/encode-metrics.ts';
import type { AttributeValue, SpanRecord } from '../../platform/tracing/span.ts';
import type { CallRow } from './store/items.ts';

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

/** A call that nobody answered has no status. */
const errorType = ({ status }: CallRow): string => (status === 0 ? '_OTHER' : String(status));

/** The names of a span follow from the record's, so that whoever gets it twice sees that it is the same. */
export function spanOf(call: CallRow): SpanRecord {
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

/** What spans and histograms both say. */
const shared = (call: CallRow): Record<string, AttributeValue> => ({
  'gen_ai.operation.name': call.operation,
  'gen_ai.provider.name': call.providerName,
  'gen_ai.request.model': call.modelId,
  'gen_ai.response.model': call.modelId,
  ...(hasFailed(call) ? { 'error.type': errorType(call) } : {}),
});

export function measuredOf(call: CallRow): readonly Measured[] {
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
