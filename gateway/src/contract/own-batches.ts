// Batches as a signed-in person sees them, whatever form they were made in.

import { Type } from '@sinclair/typebox';
import { HandedLines } from './inference/batches.ts';
import { count, flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

export const OwnBatch = Type.Object(
  {
    id: text('Such as batch-… or msgbatch_….'),
    endpoint: text('What each line calls.'),
    status: text('One of validating, in_progress, cancelling, completed, failed, cancelled, expired.'),
    lines: count('How many there are.'),
    succeeded: count('Requests that were answered.'),
    failed: count('Requests that failed.'),
    problem: orNull(text('Why it could not be run at all.')),
    handed: listOf(HandedLines, "Lines that providers' own batch interfaces run, at their prices."),
    createdAt: moment('When it was made.'),
    endedAt: orNull(moment('When it was over.')),
    expiresAt: moment('When lines that have not run yet expire.'),
  },
  named('OwnBatch'),
);
export type OwnBatch = Shape<typeof OwnBatch>;

export const OwnBatchList = Type.Object(
  {
    object: Type.Literal('list'),
    data: listOf(OwnBatch),
    first_id: orNull(Type.String()),
    last_id: orNull(Type.String()),
    has_more: flag('True: there are more; ask for them with `after`.'),
  },
  named('OwnBatchList'),
);
export type OwnBatchList = Shape<typeof OwnBatchList>;
