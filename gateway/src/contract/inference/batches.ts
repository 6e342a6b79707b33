// Files and batches as they are accepted and shown.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, named, orNull, text } from '../shape.ts';
import { maybe, open } from './fields.ts';

const seconds = (what: string) => count(`${what} In seconds since 1970.`);
const maybeSeconds = (what: string) => orNull(seconds(what));

export const KEPT_SECONDS = { min: 3_600, max: 2_592_000 };

/** How long something is kept after it was made. */
const ExpiresAfter = Type.Object(
  {
    anchor: Type.Unsafe<'created_at'>(Type.String({ enum: ['created_at'], description: 'the text created_at' })),
    seconds: Type.Integer({
      minimum: KEPT_SECONDS.min,
      maximum: KEPT_SECONDS.max,
      description: `a whole number from ${KEPT_SECONDS.min} to ${KEPT_SECONDS.max}`,
    }),
  },
  { additionalProperties: false, ...named('ExpiresAfter') },
);

export const FileUpload = Type.Object(
  {
    purpose: text('Always `batch`.'),
    file: text('A file of at most 100 MB with one JSON object on each line.'),
    'expires_after[anchor]': Type.Optional(text('Always `created_at`.')),
    'expires_after[seconds]': Type.Optional(
      text(`How long it is kept, from ${KEPT_SECONDS.min} to ${KEPT_SECONDS.max}; 30 days unless said.`),
    ),
  },
  { ...open, ...named('FileUpload') },
);

export const FileObject = Type.Object(
  {
    id: text('Such as file-….'),
    object: Type.Literal('file'),
    bytes: count('Its length.'),
    created_at: seconds('When it was made.'),
    expires_at: seconds('When it is removed.'),
    filename: text('The name of the file.'),
    purpose: text('`batch`, or `batch_output` for results.'),
    status: Type.Literal('processed'),
  },
  named('File'),
);

const listed = <Item extends typeof FileObject | typeof BatchObject>(item: Item, name: string) =>
  Type.Object(
    {
      object: Type.Literal('list'),
      data: listOf(item),
      first_id: orNull(Type.String()),
      last_id: orNull(Type.String()),
      has_more: flag('True: there are more; ask for them with `after`.'),
    },
    named(name),
  );

export const DeletedFile = Type.Object(
  { id: Type.String(), object: Type.Literal('file'), deleted: Type.Literal(true) },
  named('DeletedFile'),
);

/** The endpoints that a batch may call. */
export const BATCH_ENDPOINTS = [
  '/v1/chat/completions',
  '/v1/completions',
  '/v1/responses',
  '/v1/embeddings',
  '/v1/moderations',
  '/v1/rerank',
] as const;

export const BatchRequest = Type.Object(
  {
    input_file_id: Type.String({ minLength: 1, maxLength: 100, description: 'A file that was uploaded for it.' }),
    endpoint: Type.Unsafe<(typeof BATCH_ENDPOINTS)[number]>(
      Type.String({ enum: BATCH_ENDPOINTS, description: `one of ${BATCH_ENDPOINTS.join(', ')}` }),
    ),
    completion_window: Type.Unsafe<'24h'>(Type.String({ enum: ['24h'], description: 'the text 24h' })),
    metadata: maybe(
      Type.Record(Type.String({ maxLength: 64 }), Type.String({ maxLength: 512 }), {
        maxProperties: 16,
        description: 'at most 16 texts, for the owner alone',
      }),
    ),
    output_expires_after: maybe(ExpiresAfter),
  },
  { additionalProperties: false, ...named('BatchRequest') },
);

export const HandedLines = Type.Object(
  {
    provider: text('The provider that runs them.'),
    model: orNull(text('The model that they call.')),
    lines: count('How many were handed over.'),
    status: text('One of in_progress, completed. Lines that came back without a result are run by the gateway.'),
    pricing: orNull(
      Type.Object(
        { prompt: text('USD per million tokens.'), completion: text('USD per million tokens.') },
        { description: 'The prices when the lines were handed over.' },
      ),
    ),
  },
  named('HandedLines'),
);

export const BatchObject = Type.Object(
  {
    id: text('Such as batch-….'),
    object: Type.Literal('batch'),
    endpoint: text('What each line calls.'),
    errors: orNull(
      Type.Object({
        object: Type.Literal('list'),
        data: listOf(
          Type.Object({
            code: Type.String(),
            message: Type.String(),
            line: orNull(Type.Integer()),
            param: Type.Null(),
          }),
        ),
      }),
    ),
    input_file_id: Type.String(),
    completion_window: Type.Literal('24h'),
    status: text('One of validating, in_progress, cancelling, completed, failed, cancelled, expired.'),
    output_file_id: orNull(text('The results of lines that succeeded.')),
    error_file_id: orNull(text('The results of lines that did not.')),
    created_at: seconds('When it was made.'),
    in_progress_at: maybeSeconds('When its first line was run.'),
    expires_at: seconds('When lines that have not run yet expire.'),
    finalizing_at: maybeSeconds('When its last line was run.'),
    completed_at: maybeSeconds('When it was completed.'),
    failed_at: maybeSeconds('When it was found that the batch cannot be run.'),
    expired_at: maybeSeconds('When it expired.'),
    cancelling_at: maybeSeconds('When cancelling was asked for.'),
    cancelled_at: maybeSeconds('When it was cancelled.'),
    request_counts: Type.Object({
      total: count('Lines.'),
      completed: count('Lines that succeeded.'),
      failed: count('Lines that failed.'),
    }),
    usage: Type.Optional(
      Type.Object(
        {
          input_tokens: count('Input tokens of all lines that have run.'),
          input_tokens_details: Type.Object({ cached_tokens: count('Tokens that were read from a cache.') }),
          output_tokens: count('Output tokens of all lines that have run.'),
          output_tokens_details: Type.Object({ reasoning_tokens: count('Tokens of reasoning.') }),
          total_tokens: count('Both.'),
        },
        { description: 'Missing until a line has reported usage.' },
      ),
    ),
    handed: listOf(HandedLines, "Lines that providers' own batch interfaces run, at their prices."),
    metadata: orNull(Type.Record(Type.String(), Type.String())),
  },
  named('Batch'),
);

export const FileList = listed(FileObject, 'FileList');
export const BatchList = listed(BatchObject, 'BatchList');
