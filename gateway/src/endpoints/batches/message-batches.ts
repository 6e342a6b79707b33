// /v1/messages/batches: many calls of /v1/messages in one request, run by the gateway within a day. Their results are
// one file, in the order of the requests.

import { type MessageBatchObject, MessageBatchRequest } from '../../contract/inference/message-batches.ts';
import type { Shape } from '../../contract/shape.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { Batch, Batches, BatchKey } from '../../modules/batches/batches.ts';
import type { Owner } from '../../modules/batches/files.ts';
import { type AnswerRoom, takeUntilClosed } from '../../pipeline/answer-room.ts';
import { callNetwork, type NetworkServices } from '../../pipeline/call-network.ts';
import { stringifyExactJson } from '../../platform/exact-json.ts';
import type { SiteServices } from '../auth/same-site.ts';
import { LIMIT_MAX, readPage } from '../page.ts';
import type { CallerHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { tooManyBatches } from './batches.ts';
import { RESULTS_BYTES_HELD, sendLines } from './send-lines.ts';

type MessageBatchServices = Readonly<{ batches: Batches; answerRoom: AnswerRoom }> & SiteServices;

const MESSAGES_ENDPOINT = '/v1/messages';
/** The whole request is in memory while it is read. */
export const MESSAGE_BATCH_BYTES_MAX = 32 * 1024 * 1024;

/** More may be asked for than is shown at once. */
const PAGE_ASKED_MAX = 1_000;

const readBody = bodyReader(MessageBatchRequest);

export const createMessageBatch =
  (services: MessageBatchServices & NetworkServices): CallerHandler =>
  async (exchange, { accountId, userId, keyId }) => {
    const { requests } = await readBody(exchange, accountId);
    const names = new Set<string>();
    const lines = requests.map(({ custom_id: customId, params }, index) => {
      if (names.has(customId)) throw refused(index, 'custom_id', 'must be unique');
      if (params.stream === true) throw refused(index, 'params.stream', 'cannot be true in a batch');
      names.add(customId);
      return { customId, body: stringifyExactJson(params) };
    });
    const batch = await services.batches.createOfLines({
      ...{ accountId, userId, keyId, endpoint: MESSAGES_ENDPOINT, lines },
      network: callNetwork(exchange, services),
    });
    if (batch === null) throw tooManyBatches();
    sendJson(exchange, 200, render(batch, services));
  };

export const listMessageBatches =
  (services: MessageBatchServices): CallerHandler =>
  async (exchange, { accountId, userId }) => {
    const query = new URLSearchParams(exchange.queryText);
    const { after, limit: asked } = readPage(query, 'after_id', PAGE_ASKED_MAX);
    const { after: before } = readPage(query, 'before_id', PAGE_ASKED_MAX);
    const limit = Math.min(asked, LIMIT_MAX);
    const search = { accountId, userId, form: 'messages', after, limit: limit + 1 } as const;
    const found = await services.batches.list(before === null ? search : { ...search, before });
    const shown = before === null ? found.slice(0, limit) : found.slice(-limit);
    sendJson(exchange, 200, {
      data: shown.map((batch) => render(batch, services)),
      has_more: found.length > limit,
      first_id: shown[0]?.id ?? null,
      last_id: shown.at(-1)?.id ?? null,
    });
  };

export const readMessageBatch =
  (services: MessageBatchServices): CallerHandler =>
  async (exchange, caller) => {
    sendJson(exchange, 200, render(await find(exchange.params.id, caller, services), services));
  };

/** A batch that is being cancelled stays so, and asking again is not an error. */
export const cancelMessageBatch =
  (services: MessageBatchServices): CallerHandler =>
  async (exchange, caller) => {
    const { id, endedAt } = await find(exchange.params.id, caller, services);
    if (endedAt !== null) throw new ApiError('http_400', 'The batch has ended, and cannot be canceled any more.');
    await services.batches.cancel(keyOf(id, caller));
    sendJson(exchange, 200, render(await find(id, caller, services), services));
  };

export const deleteMessageBatch =
  (services: MessageBatchServices): CallerHandler =>
  async (exchange, caller) => {
    const { id } = await find(exchange.params.id, caller, services);
    if (!(await services.batches.remove(keyOf(id, caller)))) {
      throw new ApiError('http_400', 'The batch has not ended. Cancel it first, or wait for its end.');
    }
    sendJson(exchange, 200, { id, type: 'message_batch_deleted' });
  };

export const readMessageBatchResults =
  (services: MessageBatchServices): CallerHandler =>
  async (exchange, caller) => {
    const { id, status, endedAt } = await find(exchange.params.id, caller, services);
    if (endedAt === null) throw new ApiError('http_404', 'The batch has not ended, so it has no results yet.');
    const type = status === 'cancelled' ? 'canceled' : 'expired';
    const left = (customId: string): string => JSON.stringify({ custom_id: customId, result: { type } });
    takeUntilClosed(services.answerRoom, caller.accountId, RESULTS_BYTES_HELD, exchange.response);
    await sendLines(exchange, services.batches.results(id, { states: ['succeeded', 'failed', 'left'], left }));
  };

const refused = (index: number, field: string, problem: string): ApiError =>
  new ApiError('http_400', `requests.${index}.${field}: ${problem}.`);

const keyOf = (id: string, { accountId, userId }: Owner): BatchKey => ({ id, accountId, userId, form: 'messages' });

async function find(id: string | undefined, owner: Owner, { batches }: MessageBatchServices): Promise<Batch> {
  const batch = id === undefined ? null : await batches.find(keyOf(id, owner));
  if (batch === null) throw new ApiError('http_404', 'There is no such batch.');
  return batch;
}

function render(batch: Batch, { siteUrl, isSiteUrlSet }: MessageBatchServices): Shape<typeof MessageBatchObject> {
  const { id, status, endedAt, cancellingAt, lineCount } = batch;
  const isOver = endedAt !== null;
  const [succeeded, errored] = isOver ? [batch.succeeded, batch.failed] : [0, 0];
  // SDKs put their own base before a path, and send their key to an address, so a guessed address would be worse than
  // none.
  const base = isSiteUrlSet ? siteUrl() : '';
  const left = isOver ? lineCount - succeeded - errored : 0;
  return {
    id,
    type: 'message_batch',
    processing_status: isOver ? 'ended' : status === 'cancelling' ? 'canceling' : 'in_progress',
    request_counts: {
      processing: isOver ? 0 : lineCount,
      succeeded,
      errored,
      canceled: status === 'cancelled' ? left : 0,
      expired: status === 'cancelled' ? 0 : left,
    },
    created_at: batch.createdAt.toISOString(),
    expires_at: batch.expiresAt.toISOString(),
    ended_at: endedAt?.toISOString() ?? null,
    cancel_initiated_at: cancellingAt?.toISOString() ?? null,
    archived_at: null,
    results_url: isOver ? `${base}/v1/messages/batches/${id}/results` : null,
  };
}
