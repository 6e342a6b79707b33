// POST /files and /batches: many calls in a file, answered in another within a day. Answers and errors come in separate
// files, in any order; a line that was never run has an error code of the interface.

import { filledOrNull, isJsonObject, type JsonObject } from '../../../canonical/json.ts';
import { stringifyExactJson } from '../../../platform/exact-json.ts';
import { readExactJsonObject, readJsonObject } from '../../../platform/read-json-object.ts';
import { encodeForm } from '../../encode-form.ts';
import type { BatchInterface, BatchResult, ListedBatch, UpstreamBatchStatus } from '../../protocol.ts';

const PATHS: ReadonlySet<string> = new Set(['/chat/completions', '/completions', '/embeddings', '/responses']);
const WINDOW = '24h';
/** The metadata field with our own id of a batch. */
const OWN_ID = 'tollgate_id';
const MS_PER_SECOND = 1_000;

export const batchInterface: BatchInterface = {
  takes: (path) => PATHS.has(path),
  encodeLine(customId, path, body) {
    const head = JSON.stringify({ custom_id: customId, method: 'POST', url: `/v1${path}` });
    return Buffer.concat([Buffer.from(`${head.slice(0, -1)},"body":`), body, Buffer.from('}')]);
  },
  frame: { opening: '', between: '\n', closing: '\n' },
  upload(content) {
    const file = { fileName: 'batch.jsonl', contentType: 'application/jsonl', ...content };
    return { path: '/files', ...encodeForm([['purpose', 'batch']], [{ name: 'file', file }]) };
  },
  create({ id, path, uploadId }) {
    const body = {
      ...{ input_file_id: uploadId, endpoint: `/v1${path}`, completion_window: WINDOW },
      metadata: { [OWN_ID]: id },
    };
    return { path: '/batches', body: JSON.stringify(body) };
  },
  readId: (body) => filledOrNull(readJsonObject(body)?.id),
  statusPath: (upstreamId) => `/batches/${encodeURIComponent(upstreamId)}`,
  readStatus(body) {
    const json = readJsonObject(body);
    return json === null ? null : statusOf(json);
  },
  cancelPath: (upstreamId) => `/batches/${encodeURIComponent(upstreamId)}/cancel`,
  listPath: '/batches?limit=100',
  readList(body) {
    const data = readJsonObject(body)?.data;
    return Array.isArray(data) ? data.flatMap(readListed) : [];
  },
  readResult(line) {
    const json = readExactJsonObject(line);
    return json === null ? null : resultOf(json);
  },
};

const RUNNING: ReadonlySet<unknown> = new Set(['validating', 'in_progress', 'finalizing', 'cancelling']);
const OVER: ReadonlySet<unknown> = new Set(['completed', 'expired', 'cancelled']);

function statusOf({ status, output_file_id: output, error_file_id: errors }: JsonObject): UpstreamBatchStatus | null {
  if (RUNNING.has(status)) return { state: 'running' };
  if (status === 'failed') return { state: 'refused' };
  if (!OVER.has(status)) return null;
  const files = [output, errors].flatMap((id) => filledOrNull(id) ?? []);
  return { state: 'over', resultPaths: files.map((id) => `/files/${encodeURIComponent(id)}/content`) };
}

function readListed(item: unknown): readonly ListedBatch[] {
  if (!isJsonObject(item)) return [];
  const upstreamId = filledOrNull(item.id);
  const { metadata, request_counts: counts, created_at: created } = item;
  if (upstreamId === null) return [];
  const lineCount = isJsonObject(counts) && typeof counts.total === 'number' ? counts.total : 0;
  const ownId = isJsonObject(metadata) ? filledOrNull(metadata[OWN_ID]) : null;
  return [{ upstreamId, ownId, lineCount, createdAtMs: typeof created === 'number' ? created * MS_PER_SECOND : 0 }];
}

function resultOf({ custom_id: customId, response }: JsonObject): BatchResult | null {
  if (typeof customId !== 'string') return null;
  const isAnswered = isJsonObject(response) && typeof response.status_code === 'number';
  if (!isAnswered) return { customId, status: 0, body: Buffer.alloc(0) };
  return { customId, status: Number(response.status_code), body: Buffer.from(stringifyExactJson(response.body ?? {})) };
}
