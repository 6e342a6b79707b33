// Batches of messages as they are accepted and shown.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, named, orNull, text } from '../shape.ts';
import { open } from './fields.ts';

const REQUESTS_MAX = 10_000;
const moment = (what: string) => text(`${what} As in RFC 3339.`);
const maybeMoment = (what: string) => orNull(moment(what));

export const MessageBatchRequest = Type.Object(
  {
    requests: Type.Array(
      Type.Object({
        custom_id: Type.String({
          pattern: '^[a-zA-Z0-9_-]{1,64}$',
          description: '1 to 64 letters, digits, hyphens and underscores, and different from all others',
        }),
        params: Type.Object(
          { stream: Type.Optional(Type.Unknown()) },
          { ...open, description: 'an object: the body of a call of /v1/messages' },
        ),
      }),
      { minItems: 1, maxItems: REQUESTS_MAX, description: `a list of 1 to ${REQUESTS_MAX} requests` },
    ),
  },
  { additionalProperties: false, ...named('MessageBatchRequest') },
);

export const MessageBatchObject = Type.Object(
  {
    id: text('Such as msgbatch_….'),
    type: Type.Literal('message_batch'),
    processing_status: text('One of in_progress, canceling, ended.'),
    request_counts: Type.Object({
      processing: count('All requests until the batch has ended; then 0.'),
      succeeded: count('Requests that were answered.'),
      errored: count('Requests that failed.'),
      canceled: count('Requests that did not run because the batch was canceled.'),
      expired: count('Requests that did not run within the day.'),
    }),
    created_at: moment('When it was made.'),
    expires_at: moment('When lines that have not run yet expire.'),
    ended_at: maybeMoment('When the batch ended.'),
    cancel_initiated_at: maybeMoment('When canceling was asked for.'),
    archived_at: Type.Null(),
    results_url: orNull(text('The address of the results, once the batch has ended.')),
  },
  named('MessageBatch'),
);

export const MessageBatchList = Type.Object(
  {
    data: listOf(MessageBatchObject),
    has_more: flag('True: there are more in the direction asked for.'),
    first_id: orNull(Type.String()),
    last_id: orNull(Type.String()),
  },
  named('MessageBatchList'),
);

export const DeletedMessageBatch = Type.Object(
  { id: Type.String(), type: Type.Literal('message_batch_deleted') },
  named('DeletedMessageBatch'),
);
