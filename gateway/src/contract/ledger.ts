// Closed months of the journal as the operator sees them: their list, their entries as lines of a file, what each
// account moved in them, and whether they are archived.

import { type Static, Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, nextPage, orNull, type Shape, text } from './shape.ts';

const decimal = (description: string) => text(`${description} A whole number as text.`);

export const LedgerMonthList = Type.Object(
  {
    months: listOf(
      Type.Object({
        month: text('YYYY-MM.'),
        entries: count('How many entries the month has.'),
        sealedAt: moment('When the month was sealed.'),
        archiveSha256: orNull(text('The digest of its file; null while it is not archived.')),
        archivedAt: orNull(moment('When the last of its charges was removed from the database.')),
      }),
      'The oldest first.',
    ),
  },
  named('LedgerMonthList'),
);
export type LedgerMonthList = Shape<typeof LedgerMonthList>;

export const LedgerLines = Type.Object(
  {
    lines: listOf(Type.String(), 'One entry in each line, as JSON. The digest of the month is made of these lines.'),
    next: nextPage('after'),
  },
  named('LedgerLines'),
);
export type LedgerLines = Shape<typeof LedgerLines>;

export const LedgerCheckpoints = Type.Object(
  {
    checkpoints: listOf(
      Type.Object({
        accountId: text('Whose.'),
        entries: decimal('Entries of the month.'),
        creditedNanoUsd: decimal('Credits minus what was taken back.'),
        spentNanoUsd: decimal('Charges minus refunds.'),
        takenNanoUsd: decimal('What was taken back.'),
      }),
    ),
    next: nextPage('after'),
  },
  named('LedgerCheckpoints'),
);
export type LedgerCheckpoints = Shape<typeof LedgerCheckpoints>;

export const ArchiveBody = Type.Object(
  { sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'the digest of all lines, 64 hex digits' }) },
  { additionalProperties: false, title: 'ArchiveBody' },
);
export type ArchiveBody = Static<typeof ArchiveBody>;

export const ArchivedAnswer = Type.Object(
  {
    removed: count('How many charges this request removed.'),
    isDone: flag('False: more charges are left; send the request again.'),
  },
  named('LedgerArchived'),
);
export type ArchivedAnswer = Shape<typeof ArchivedAnswer>;
