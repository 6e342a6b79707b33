// /api/account/batches and /api/account/files: what a signed-in person's keys have had run, in every form, and its
// progress. Requests and answers can be read only with keys.

import type { OwnBatch, OwnBatchList } from '../../contract/own-batches.ts';
import { ApiError } from '../../errors/api-error.ts';
import { sendJson } from '../../http/respond.ts';
import type { Batch, Batches, BatchForm } from '../../modules/batches/batches.ts';
import type { Files } from '../../modules/batches/files.ts';
import { readPage } from '../page.ts';
import type { AccountHandler } from '../protect.ts';
import { fileObject, handedLines, listObject } from './render.ts';

type OwnBatchServices = Readonly<{ batches: Pick<Batches, 'list' | 'find' | 'cancel'>; files: Pick<Files, 'list'> }>;

const FORMS: readonly BatchForm[] = ['file', 'messages'];

export const listOwnBatches =
  ({ batches }: OwnBatchServices): AccountHandler =>
  async (exchange, { accountId, userId }) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText));
    const found = await batches.list({ accountId, userId, form: FORMS, after, limit: limit + 1 });
    const answer: OwnBatchList = listObject(found.map(ownBatch), limit);
    sendJson(exchange, 200, answer);
  };

export const listOwnFiles =
  ({ files }: OwnBatchServices): AccountHandler =>
  async (exchange, { accountId, userId }) => {
    const { after, limit } = readPage(new URLSearchParams(exchange.queryText));
    const found = await files.list({ accountId, userId, purpose: null, after, limit: limit + 1 });
    sendJson(exchange, 200, listObject(found.map(fileObject), limit));
  };

export const cancelOwnBatch =
  ({ batches }: OwnBatchServices): AccountHandler =>
  async (exchange, { accountId, userId }) => {
    const id = exchange.params.id ?? '';
    for (const form of FORMS) {
      const key = { id, accountId, userId, form };
      const batch = await batches.find(key);
      if (batch === null) continue;
      await batches.cancel(key);
      const answer: OwnBatch = ownBatch((await batches.find(key)) ?? batch);
      return sendJson(exchange, 200, answer);
    }
    throw new ApiError('http_404', 'There is no such batch.');
  };

function ownBatch(batch: Batch): OwnBatch {
  const { id, endpoint, status, lineCount, succeeded, failed, handed, errors, createdAt, endedAt, expiresAt } = batch;
  return {
    id,
    endpoint,
    status: status === 'running' ? 'in_progress' : status,
    lines: lineCount,
    succeeded,
    failed,
    problem: problemOf(errors),
    handed: handed.map(handedLines),
    createdAt: createdAt.toISOString(),
    endedAt: endedAt?.toISOString() ?? null,
    expiresAt: expiresAt.toISOString(),
  };
}

function problemOf(errors: Batch['errors']): string | null {
  const [first] = errors ?? [];
  if (first === undefined) return null;
  return first.line === null ? first.message : `Line ${first.line}: ${first.message}`;
}
