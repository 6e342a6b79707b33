// /v1/batches: many calls in a file, run by the gateway within a day. A table of routes says what a batch may call;
// these routes run its lines like any call.

import { BATCH_ENDPOINTS, BatchRequest } from '../../contract/inference/batches.ts';
import { ApiError } from '../../errors/api-error.ts';
import type { RouteRow } from '../../http/exchange.ts';
import { sendJson } from '../../http/respond.ts';
import type { Batch, Batches, BatchKey } from '../../modules/batches/batches.ts';
import type { Files, Owner } from '../../modules/batches/files.ts';
import { callNetwork, type NetworkServices } from '../../pipeline/call-network.ts';
import { readPage } from '../page.ts';
import type { CallerHandler } from '../protect.ts';
import { bodyReader } from '../read-body.ts';
import { batchObject, listObject } from './render.ts';

type BatchEndpointServices = Readonly<{ batches: Batches; files: Pick<Files, 'find'> }>;

const readBody = bodyReader(BatchRequest);
const RETRY_AFTER_SECONDS = 60;

export const createBatch =
  (services: BatchEndpointServices & NetworkServices): CallerHandler =>
  async (exchange, { accountId, userId, keyId }) => {
    const { batches, files } = services;
    const body = await readBody(exchange);
    if (!BATCH_ENDPOINTS.includes(body.endpoint)) {
      throw new ApiError('http_400', `endpoint must be one of ${BATCH_ENDPOINTS.join(', ')}.`);
    }
    if (body.completion_window !== '24h') throw new ApiError('http_400', 'completion_window must be 24h.');
    const input = await files.find(body.input_file_id, { accountId, userId });
    if (input === null || input.batchId !== null) {
      throw new ApiError('http_400', 'input_file_id must be a file that was uploaded with the purpose batch.');
    }
    const batch = await batches.create({
      ...{ accountId, userId, keyId, endpoint: body.endpoint, inputFileId: input.id },
      network: callNetwork(exchange, services),
      metadata: body.metadata ?? null,
      resultsKeptSeconds: body.output_expires_after?.seconds ?? null,
    });
    if (batch === null) throw tooManyBatches();
    sendJson(exchange, 200, batchObject(batch));
  };

export const listBatches =
  ({ batches }: BatchEndpointServices): CallerHandler =>
  async (exchange, { accountId, userId }) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText));
    const found = await batches.list({ accountId, userId, form: 'file', after, limit: limit + 1 });
    sendJson(exchange, 200, listObject(found.map(batchObject), limit));
  };

export const readBatch =
  (services: BatchEndpointServices): CallerHandler =>
  async (exchange, caller) => {
    sendJson(exchange, 200, batchObject(await find(exchange.params.id, caller, services)));
  };

export const cancelBatch =
  (services: BatchEndpointServices): CallerHandler =>
  async (exchange, caller) => {
    const { id } = await find(exchange.params.id, caller, services);
    if (!(await services.batches.cancel(keyOf(id, caller)))) {
      throw new ApiError('http_409', 'The batch is over, or being cancelled already.', { isTerminal: true });
    }
    sendJson(exchange, 200, batchObject(await find(id, caller, services)));
  };

export const tooManyBatches = (): ApiError =>
  new ApiError(
    'http_429',
    'This account has as many batches under way as it may: 20, or 2 before its first credit. Wait for one to end, or cancel one.',
    {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    },
  );

const keyOf = (id: string, { accountId, userId }: Owner): BatchKey => ({ id, accountId, userId, form: 'file' });

async function find(id: string | undefined, owner: Owner, { batches }: BatchEndpointServices): Promise<Batch> {
  const batch = id === undefined ? null : await batches.find(keyOf(id, owner));
  if (batch === null) throw new ApiError('http_404', 'There is no such batch.');
  return batch;
}

/** The routes that lines call. The creator of a batch names one of them. */
export const batchRoutesOf = (rows: readonly RouteRow[]): ReadonlyMap<string, RouteRow> =>
  new Map(rows.filter(({ method, access }) => method === 'POST' && access === 'model').map((row) => [row.path, row]));
