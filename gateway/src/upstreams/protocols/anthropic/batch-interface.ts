// POST /messages/batches: many calls in one body, answered line by line within a day. It has no place for an id of
// ours, so a batch whose creation was not answered can only be recognised by its time and its number of calls.

import { filledOrNull, isJsonObject, type JsonObject, objectOrEmpty } from '../../../canonical/json.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readExactJsonObject, readJsonObject } from '../../../platform/read-json-object.ts';
import type { BatchInterface, BatchResult, ListedBatch } from '../../protocol.ts';
import { statusOfError } from './error-envelope.ts';

const PATH = '/messages';

export const batchInterface: BatchInterface = {
  takes: (path) => path === PATH,
  encodeLine(customId, _path, body) {
    const head = JSON.stringify({ custom_id: customId });
    return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"params":`), body, Buffer.from('}')]);
  },
  frame: { opening: '{"requests":[', between: ',', closing: ']}' },
  create: ({ content }) => ({ path: '/messages/batches', body: content }),
  readId: (body) => filledOrNull(readJsonObject(body)?.id),
  statusPath: batchPath,
  readStatus(body) {
    const json = readJsonObject(body);
    const id = filledOrNull(json?.id);
    if (json === null || id === null || typeof json.processing_status !== 'string') return null;
    return json.processing_status === 'ended'
      ? { state: 'over', resultPaths: [`${batchPath(id)}/results`] }
      : { state: 'running' };
  },
  cancelPath: (upstreamId) => `${batchPath(upstreamId)}/cancel`,
  listPath: '/messages/batches?limit=100',
  readList(body) {
    const data = readJsonObject(body)?.data;
    return Array.isArray(data) ? data.flatMap(readListed) : [];
  },
  readResult(line) {
    const json = readExactJsonObject(line);
    return json === null ? null : resultOf(json);
  },
};

function batchPath(upstreamId: string): string {
  return `/messages/batches/${encodeURIComponent(upstreamId)}`;
}

function readListed(item: unknown): readonly ListedBatch[] {
  if (!isJsonObject(item)) return [];
  const upstreamId = filledOrNull(item.id);
  const { request_counts: counts, created_at: created } = item;
  if (upstreamId === null || !isJsonObject(counts)) return [];
  const lineCount = Object.values(counts).reduce<number>((sum, it) => sum + (typeof it === 'number' ? it : 0), 0);
  const createdAtMs = typeof created === 'string' ? Date.parse(created) : Number.NaN;
  return [{ upstreamId, ownId: null, lineCount, createdAtMs: Number.isNaN(createdAtMs) ? 0 : createdAtMs }];
}

function resultOf({ custom_id: customId, result }: JsonObject): BatchResult | null {
  if (typeof customId !== 'string' || !isJsonObject(result)) return null;
  if (result.type === 'succeeded' && isJsonObject(result.message)) {
    return { customId, status: 200, body: Buffer.from(stringifyExactJson(result.message)) };
  }
  if (result.type !== 'errored') return { customId, status: 0, body: Buffer.alloc(0) };
  const envelope = objectOrEmpty(result.error);
  const error = isJsonObject(envelope.error) ? envelope.error : envelope;
  return { customId, status: statusOfError(error) ?? 500, body: Buffer.from(stringifyExactJson(envelope)) };
}
