// Files and batches, described.

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
import type { Descriptions } from '../docs/description.ts';
import { limit, optional } from '../docs/queries.ts';
import { LIMIT_DEFAULT, LIMIT_MAX } from '../page.ts';

const tag = 'Batches';
const page = {
  after: optional('The `last_id` of the page before.'),
  limit: limit(LIMIT_MAX, LIMIT_DEFAULT),
};

export const batchDescriptions: Descriptions = {
  'POST /v1/files': {
    tag,
    summary: 'Upload a file',
    notes:
      'One call a line, as `{"custom_id": "...", "method": "POST", "url": "...", "body": {...}}`. Files are removed after 30 days.',
    form: FileUpload,
    answers: { 200: { json: FileObject } },
    errors: ['invalid_content_type'],
    example: { form: { purpose: 'batch', file: '@calls.jsonl' } },
  },
  'GET /v1/files': {
    tag,
    summary: 'List files',
    query: Type.Object({ ...page, purpose: optional('Only those for this purpose.') }),
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
      'Each line is run as a call of the key that made the batch: held, charged and recorded by itself, once, whatever happens in between. At most 50,000 lines; what has not been run within 24 hours is left.',
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
    notes: 'What is running ends and is charged; the results so far can be had.',
    answers: { 200: { json: BatchObject } },
    errors: ['http_409'],
  },
};
