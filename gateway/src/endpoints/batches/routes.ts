// The routes of files and batches.

import type { RouteRow } from '../../http/exchange.ts';
import { FILE_BYTES_MAX } from '../../modules/batches/files.ts';
import type { Protect } from '../protect.ts';
import type { Services } from '../services.ts';
import { cancelBatch, createBatch, listBatches, readBatch } from './batches.ts';
import { deleteFile, listFiles, readFile, readFileContent, uploadFile } from './files.ts';
import { deleteJob, listJobs, readCallbackSecret, readJob, readJobResult } from './jobs.ts';
import {
  cancelMessageBatch,
  createMessageBatch,
  deleteMessageBatch,
  listMessageBatches,
  MESSAGE_BATCH_BYTES_MAX,
  readMessageBatch,
  readMessageBatchResults,
} from './message-batches.ts';

/** The file, and the rest of the form. */
const FORM_BYTES_MAX = FILE_BYTES_MAX + 1024 * 1024;

// biome-ignore format: a table reads best with one row a line.
export function batchRoutes(services: Services, { caller }: Protect): readonly RouteRow[] {
  return [
    { method: 'POST', path: '/v1/files', access: 'model', bodyBytesMax: FORM_BYTES_MAX, handle: caller(uploadFile(services)) },
    { method: 'GET', path: '/v1/files', access: 'model', handle: caller(listFiles(services)) },
    { method: 'GET', path: '/v1/files/:id', access: 'model', handle: caller(readFile(services)) },
    { method: 'DELETE', path: '/v1/files/:id', access: 'model', handle: caller(deleteFile(services)) },
    { method: 'GET', path: '/v1/files/:id/content', access: 'model', handle: caller(readFileContent(services)) },
    { method: 'POST', path: '/v1/batches', access: 'model', handle: caller(createBatch(services)) },
    { method: 'GET', path: '/v1/batches', access: 'model', handle: caller(listBatches(services)) },
    { method: 'GET', path: '/v1/batches/:id', access: 'model', handle: caller(readBatch(services)) },
    { method: 'POST', path: '/v1/batches/:id/cancel', access: 'model', handle: caller(cancelBatch(services)) },
    { method: 'POST', path: '/v1/messages/batches', access: 'model', errors: 'messages', bodyBytesMax: MESSAGE_BATCH_BYTES_MAX, handle: caller(createMessageBatch(services)) },
    { method: 'GET', path: '/v1/messages/batches', access: 'model', errors: 'messages', handle: caller(listMessageBatches(services)) },
    { method: 'GET', path: '/v1/messages/batches/:id', access: 'model', errors: 'messages', handle: caller(readMessageBatch(services)) },
    { method: 'DELETE', path: '/v1/messages/batches/:id', access: 'model', errors: 'messages', handle: caller(deleteMessageBatch(services)) },
    { method: 'POST', path: '/v1/messages/batches/:id/cancel', access: 'model', errors: 'messages', handle: caller(cancelMessageBatch(services)) },
    { method: 'GET', path: '/v1/messages/batches/:id/results', access: 'model', errors: 'messages', handle: caller(readMessageBatchResults(services)) },
    { method: 'GET', path: '/v1/jobs', access: 'model', handle: caller(listJobs(services)) },
    { method: 'GET', path: '/v1/jobs/callback-secret', access: 'model', handle: caller(readCallbackSecret(services)) },
    { method: 'GET', path: '/v1/jobs/:id', access: 'model', handle: caller(readJob(services)) },
    { method: 'DELETE', path: '/v1/jobs/:id', access: 'model', handle: caller(deleteJob(services)) },
    { method: 'GET', path: '/v1/jobs/:id/result', access: 'model', handle: caller(readJobResult(services)) },
  ];
}
