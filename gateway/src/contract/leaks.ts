// Reports of keys that were seen in public: from anybody, from a scanner of public code, and from the operator.

import { type Static, Type } from '@sinclair/typebox';
import { flag, listOf, moment, named, orNull, type Shape, text } from './shape.ts';

const TEXT_LENGTH_MAX = 60_000;

export const LeakReportBody = Type.Object(
  {
    text: Type.String({
      minLength: 1,
      maxLength: TEXT_LENGTH_MAX,
      description: `a key, or a text in which keys may be, of 1 to ${TEXT_LENGTH_MAX} characters`,
    }),
    place: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 500,
        pattern: '^[^\\u0000-\\u001f\\u007f]*$',
        description: 'where it was seen, text of 1 to 500 characters without control characters',
      }),
    ),
  },
  { additionalProperties: false, title: 'LeakReportBody' },
);
export type LeakReportBody = Static<typeof LeakReportBody>;

export const LeakReportAnswer = Type.Object({ received: Type.Literal(true) }, named('LeakReportReceived'));
export type LeakReportAnswer = Shape<typeof LeakReportAnswer>;

const LeakedKey = Type.Object(
  {
    id: text('The id of the key, used in paths.'),
    name: text('Its label.'),
    accountId: text('Whose money it spends: a user or an organization.'),
    userId: text('Who holds it.'),
    enabled: flag('False: it is switched off.'),
    leakedAt: orNull(moment('When it was first reported.')),
    leakPlace: orNull(text('Where it was first seen.')),
  },
  named('LeakedKey'),
);

export const LeakedKeyList = Type.Object({ keys: listOf(LeakedKey) }, named('LeakedKeyList'));
export type LeakedKeyList = Shape<typeof LeakedKeyList>;

/** The form of GitHub's partner program for secret scanning. More fields may come. */
export const ScannerReportBody = Type.Array(
  Type.Object({
    token: Type.String({ maxLength: 1_000 }),
    type: Type.String({ maxLength: 200 }),
    url: Type.Optional(Type.Union([Type.String({ maxLength: 4_000 }), Type.Null()])),
    source: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
  }),
  { maxItems: 10_000, title: 'ScannerReportBody' },
);
export type ScannerReportBody = Static<typeof ScannerReportBody>;

const ScannerVerdict = Type.Object({
  token_raw: text('The token as it was sent.'),
  token_type: text('Its type as it was sent.'),
  label: Type.Union([Type.Literal('true_positive'), Type.Literal('false_positive')], {
    description: 'Whether it was made here.',
  }),
});

export const ScannerAnswer = Type.Array(ScannerVerdict, { title: 'ScannerVerdicts' });
export type ScannerAnswer = Shape<typeof ScannerAnswer>;
