// How far the change from one root secret to another is. Secrets are named by ids that are derived from them.

import { Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, oneOf, orNull, type Shape, text } from './shape.ts';

export const RootSecretAnswer = Type.Object(
  {
    phase: oneOf(
      ['steady', 'spreading', 'sealing'],
      '`steady`: one secret. `spreading`: not all processes were started with the new one yet, and the former is in use. `sealing`: the new one is in use, and what the former one has sealed is sealed anew.',
    ),
    isPreviousNeeded: flag('False: `TOLLGATE_SECRET_PREVIOUS` can be removed.'),
    secretId: text('Of what the process that answers was started with.'),
    previousId: orNull(text('Of what it was given as `TOLLGATE_SECRET_PREVIOUS`; null: nothing.')),
    inUseId: text('Of the secret that is sealed with.'),
    secrets: listOf(
      Type.Object({
        id: text('Names the secret, and tells nothing of it.'),
        announcedAt: moment('When a process first knew it.'),
        isUsed: flag('Something was sealed with it.'),
      }),
      'Those that something may be sealed with, and one that is about to be used.',
    ),
    processes: listOf(
      Type.Object({
        id: text('Of the process.'),
        startedAt: moment('When it came.'),
        startedWith: orNull(text('Its `TOLLGATE_SECRET`; null: of an older version, or not told yet.')),
        sealsWith: orNull(text('What it seals with.')),
      }),
    ),
    sealedAnew: listOf(
      Type.Object({
        name: text('Table and column.'),
        isDone: flag('The pass through it has ended.'),
        seen: count('Rows that were looked at in this pass.'),
        sealed: count('Rows that were sealed anew in this pass.'),
        unreadable: count('Rows that no secret opens; they were so before.'),
      }),
      'The pass that is under way. The former secret is let go after one that found nothing to do.',
    ),
  },
  named('RootSecret'),
);
export type RootSecretAnswer = Shape<typeof RootSecretAnswer>;
