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
    secretId: text('The id of the secret that the answering process was started with.'),
    previousId: orNull(text('The id of its `TOLLGATE_SECRET_PREVIOUS`; null: not set.')),
    inUseId: text('The id of the secret that is used to encrypt now.'),
    secrets: listOf(
      Type.Object({
        id: text('An id that is derived from the secret and does not reveal it.'),
        announcedAt: moment('When a process first knew it.'),
        isUsed: flag('True: something may be encrypted with it.'),
      }),
      'The secrets that something may be encrypted with, and one that is about to be used.',
    ),
    processes: listOf(
      Type.Object({
        id: text('The id of the process.'),
        startedAt: moment('When the process started.'),
        startedWith: orNull(text('Its `TOLLGATE_SECRET`; null: of an older version, or not told yet.')),
        sealsWith: orNull(text('The secret that it encrypts with.')),
      }),
    ),
    sealedAnew: listOf(
      Type.Object({
        name: text('Table and column.'),
        isDone: flag('The pass through it has ended.'),
        seen: count('Rows that were looked at in this pass.'),
        sealed: count('Rows that were sealed anew in this pass.'),
        unreadable: count('Rows that no known secret can decrypt; they were unreadable before the change.'),
      }),
      'The tables that are being encrypted again. The former secret is no longer needed after a pass that found nothing to do.',
    ),
  },
  named('RootSecret'),
);
export type RootSecretAnswer = Shape<typeof RootSecretAnswer>;
