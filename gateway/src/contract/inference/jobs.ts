// Jobs, which are calls that are answered later, as they are shown.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, named, orNull, text } from '../shape.ts';

const seconds = (what: string) => count(`${what} In seconds since 1970.`);

export const JobObject = Type.Object(
  {
    id: text('Such as job_….'),
    object: Type.Literal('job'),
    status: text('One of in_progress, cancelling, completed, failed, cancelled, expired.'),
    endpoint: text('The path that was called.'),
    generation_id: orNull(text('The record of the call, once it has begun.')),
    created_at: seconds('When it was made.'),
    ended_at: orNull(seconds('When it was over.')),
    expires_at: seconds('When the job expires; when it is over, when it is removed.'),
    result_url: text('The address of the answer.'),
  },
  named('Job'),
);

export const JobList = Type.Object(
  {
    object: Type.Literal('list'),
    data: listOf(JobObject),
    first_id: orNull(Type.String()),
    last_id: orNull(Type.String()),
    has_more: flag('True: there are more; ask for them with `after`.'),
  },
  named('JobList'),
);

export const DeletedJob = Type.Object(
  { id: Type.String(), object: Type.Literal('job'), deleted: Type.Literal(true) },
  named('DeletedJob'),
);

export const CallbackSecret = Type.Object(
  { secret: text('The secret `whsec_…`, with which callbacks about jobs of this key are signed.') },
  named('CallbackSecret'),
);
