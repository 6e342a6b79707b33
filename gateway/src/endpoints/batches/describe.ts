// OpenAPI descriptions of files and batches.

import { Type } from '@sinclair/typebox';
import {
  BatchList,
  BatchObject,
  BatchRequest,
  DeletedFile,
  FileList,
  FileObject,
  FileUpload,
} from '../../contract/inference/batches.ts';
import { CallbackSecret, DeletedJob, JobList, JobObject } from '../../contract/inference/jobs.ts';
import {
  DeletedMessageBatch,
  MessageBatchList,
  MessageBatchObject,
  MessageBatchRequest,
} from '../../contract/inference/message-batches.ts';
import { OwnBatch, OwnBatchList } from '../../contract/own-batches.ts';
import type { ErrorCode } from '../../errors/catalogue.ts';
import type { Descriptions } from '../docs/description.ts';
import { OF_CONVERSATIONS, OF_IMAGES } from '../docs/implied-errors.ts';
import { limit, optional } from '../docs/queries.ts';
import { forChosenAccount } from '../docs/variants.ts';
import { LIMIT_MAX } from '../page.ts';

const tag = 'Batches';
/** A failed call has the same error as one that is answered at once. */
const OF_RESULTS: readonly ErrorCode[] = [
  ...[...OF_CONVERSATIONS, ...OF_IMAGES],
  ...(['http_400', 'missing_required_field', 'unsupported_param', 'http_413', 'http_415'] as const),
  ...(['invalid_content_type', 'unsupported_response_format'] as const),
];
const page = {
  after: optional('The `last_id` of the previous page.'),
  limit: limit(LIMIT_MAX),
};

export const batchDescriptions: Descriptions = {
  'POST /v1/files': {
    tag,
    summary: 'Upload a file',
    notes:
      'One call on each line, as `{"custom_id": "...", "method": "POST", "url": "...", "body": {...}}`. Files are removed after 30 days, or when `expires_after` says so.',
    form: FileUpload,
    answers: { 200: { json: FileObject } },
    errors: ['invalid_content_type'],
    example: { form: { purpose: 'batch', file: '@calls.jsonl' } },
  },
  'GET /v1/files': {
    tag,
    summary: 'List files',
    query: Type.Object({
      ...page,
      purpose: optional('Only files for this purpose.'),
      order: optional('`asc` for the oldest first; default: `desc`.'),
    }),
    answers: { 200: { json: FileList } },
  },
  'GET /v1/files/:id': { tag, summary: 'Read about a file', answers: { 200: { json: FileObject } } },
  'DELETE /v1/files/:id': { tag, summary: 'Delete a file', answers: { 200: { json: DeletedFile } } },
  'GET /v1/files/:id/content': {
    tag,
    summary: 'Download a file',
    answers: { 200: { bytes: ['application/jsonl'] } },
  },
  'POST /v1/batches': {
    tag,
    summary: 'Run a file of calls',
    notes:
      'Each line is run as a call of the key that made the batch, and is held, charged and recorded as a call of its own, exactly once. At most 50,000 lines; lines that have not run within 24 hours expire.',
    body: BatchRequest,
    answers: { 200: { json: BatchObject } },
    example: {
      body: { input_file_id: '$FILE_ID', endpoint: '/v1/chat/completions', completion_window: '24h' },
    },
  },
  'GET /v1/batches': {
    tag,
    summary: 'List batches',
    query: Type.Object(page),
    answers: { 200: { json: BatchList } },
  },
  'GET /v1/batches/:id': { tag, summary: 'Read about a batch', answers: { 200: { json: BatchObject } } },
  'POST /v1/batches/:id/cancel': {
    tag,
    summary: 'Cancel a batch',
    notes: 'Lines that are running end and are charged; the results so far can be downloaded.',
    answers: { 200: { json: BatchObject } },
    errors: ['http_409'],
  },
  'POST /v1/messages/batches': {
    tag,
    summary: 'Run many messages',
    notes:
      'Each request is run as a call of `POST /v1/messages` with the key that made the batch, and is held, charged and recorded as a call of its own, exactly once. At most 10,000 requests or 32 MB; requests that have not run within 24 hours expire.',
    body: MessageBatchRequest,
    answers: { 200: { json: MessageBatchObject } },
    example: {
      model: 'text',
      body: {
        requests: [
          {
            custom_id: 'first',
            params: { model: '$MODEL', max_tokens: 256, messages: [{ role: 'user', content: 'Say hello.' }] },
          },
        ],
      },
    },
  },
  'GET /v1/messages/batches': {
    tag,
    summary: 'List batches of messages',
    query: Type.Object({
      after_id: optional('The `last_id` of the previous page.'),
      before_id: optional('The `first_id` of the next page, to go back.'),
      limit: limit(LIMIT_MAX),
    }),
    answers: { 200: { json: MessageBatchList } },
  },
  'GET /v1/messages/batches/:id': {
    tag,
    summary: 'Read about a batch of messages',
    answers: { 200: { json: MessageBatchObject } },
  },
  'DELETE /v1/messages/batches/:id': {
    tag,
    summary: 'Delete a batch of messages',
    notes: 'Only once it has ended.',
    answers: { 200: { json: DeletedMessageBatch } },
  },
  'POST /v1/messages/batches/:id/cancel': {
    tag,
    summary: 'Cancel a batch of messages',
    notes: 'Lines that are running end and are charged; the results so far can be downloaded.',
    answers: { 200: { json: MessageBatchObject } },
  },
  'GET /v1/messages/batches/:id/results': {
    tag,
    summary: 'Download the results of a batch of messages',
    notes:
      'One line for each request, in their order: `{"custom_id": "...", "result": {...}}`, with a result of the type `succeeded`, `errored`, `canceled` or `expired`.',
    answers: { 200: { bytes: ['application/jsonl'] } },
  },
  'GET /v1/jobs': {
    tag,
    summary: 'List jobs',
    notes:
      'Any call of a model with `Prefer: respond-async` answers 202 with a job, which is run like a line of a batch. With `X-Tollgate-Callback: https://...` the gateway calls that address when the job is over.',
    query: Type.Object(page),
    answers: { 200: { json: JobList } },
  },
  'GET /v1/jobs/callback-secret': {
    tag,
    summary: 'Read the secret of callbacks',
    notes: 'Use it to verify the signatures of callbacks about jobs of this key, as Standard Webhooks describes.',
    answers: { 200: { json: CallbackSecret } },
  },
  'GET /v1/jobs/:id': { tag, summary: 'Read about a job', answers: { 200: { json: JobObject } } },
  'DELETE /v1/jobs/:id': {
    tag,
    summary: 'Cancel or delete a job',
    notes: 'A job whose call has not begun is cancelled; a job that is over is removed.',
    answers: { 200: { json: DeletedJob }, 202: { json: JobObject } },
  },
  'GET /v1/jobs/:id/result': {
    tag,
    summary: 'Download the answer of a job',
    notes:
      'What the call would have answered, with its status; kept for 24 hours. 202 with the job while it is not over.',
    answers: { 200: { bytes: ['application/json', 'text/event-stream'] }, 202: { json: JobObject } },
    errors: OF_RESULTS,
  },
  'GET /api/account/batches': forChosenAccount({
    tag,
    summary: 'List batches of every form',
    notes: 'Batches that you made yourself, newest first.',
    query: Type.Object(page),
    answers: { 200: { json: OwnBatchList } },
  }),
  'POST /api/account/batches/:id/cancel': forChosenAccount({
    tag,
    summary: 'Cancel a batch of any form',
    answers: { 200: { json: OwnBatch } },
  }),
  'GET /api/account/files': forChosenAccount({
    tag,
    summary: 'List files',
    query: Type.Object(page),
    answers: { 200: { json: FileList } },
  }),
};
