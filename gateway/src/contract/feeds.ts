// Feeds of call records as administrators and the operator set them up: address, form, and the state of delivery.

import { type Static, Type } from '@sinclair/typebox';
import { oneOf, shortName } from './body-fields.ts';
import { count, flag, listOf, moment, named, orNull, type Shape, oneOf as shown, text } from './shape.ts';

const strict = { additionalProperties: false };

const FEED_FORMS = ['otlp', 'http', 's3', 'file'] as const;
export type FeedForm = (typeof FEED_FORMS)[number];
const SIGNALS = ['traces', 'metrics'] as const;
export type FeedSignal = (typeof SIGNALS)[number];

const printable = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: '^[\\x21-\\x7e]+$',
    description: `printable ASCII of at most ${lengthMax} characters`,
  });

const fields = {
  name: shortName,
  enabled: Type.Boolean({ description: 'true or false' }),
};

const HeaderField = Type.Object(
  {
    name: Type.String({
      maxLength: 100,
      pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]+$",
      description: 'the name of a header',
    }),
    value: Type.String({
      maxLength: 2_048,
      pattern: '^[\\x20-\\x7e]*$',
      description: 'printable ASCII of at most 2048 characters',
    }),
  },
  { ...strict, description: 'an object with name and value' },
);

export const NewFeedBody = Type.Object(
  {
    name: fields.name,
    form: oneOf(FEED_FORMS),
    url: Type.Optional(
      Type.String({ minLength: 1, maxLength: 1_024, description: 'a URL of at most 1024 characters' }),
    ),
    headers: Type.Optional(Type.Array(HeaderField, { maxItems: 10, description: 'a list of at most 10 headers' })),
    signals: Type.Optional(
      Type.Array(oneOf(SIGNALS), { minItems: 1, maxItems: 2, description: 'a list of traces and metrics' }),
    ),
    bucket: Type.Optional(
      Type.String({ pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', description: 'the name of a bucket' }),
    ),
    region: Type.Optional(Type.String({ pattern: '^[a-z0-9-]{1,40}$', description: 'the name of a region' })),
    prefix: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: '^(?:[A-Za-z0-9_=-][A-Za-z0-9_.=-]*/)*$',
        description: 'folders that each end with a slash, of at most 200 characters',
      }),
    ),
    accessKeyId: Type.Optional(printable(200)),
    secretAccessKey: Type.Optional(printable(400)),
    keepDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 3_650, description: 'a whole number from 1 to 3650' })),
    enabled: Type.Optional(fields.enabled),
  },
  { ...strict, title: 'NewFeedBody' },
);
export type NewFeedBody = Static<typeof NewFeedBody>;

export const ChangeFeedBody = Type.Object(Type.Partial(Type.Object(fields)).properties, {
  ...strict,
  title: 'ChangeFeedBody',
});
export type ChangeFeedBody = Static<typeof ChangeFeedBody>;

const feedFields = {
  id: text('The id of the feed, used in paths.'),
  name: fields.name,
  form: shown(FEED_FORMS, 'How records are sent.'),
  host: text('The host that records are sent to. The rest of the address, headers and keys are never shown.'),
  enabled: flag('False: records of calls made now are not sent, also not later.'),
  createdAt: moment('When the feed was added; calls from then on are sent.'),
  waiting: count('Records that are still to be sent.'),
  delivered: count('Records that the receiver has taken.'),
  lost: count('Records that were dropped: refused, too old, or because too many waited.'),
  deliveredAt: orNull(moment('When records were last taken.')),
  failure: orNull(text('Why the last attempt failed; null after a success.')),
};

export const FeedObject = Type.Object(feedFields, named('Feed'));
export type FeedObject = Shape<typeof FeedObject>;

export const NewFeedAnswer = Type.Object(
  {
    ...feedFields,
    secret: orNull(
      text(
        'The secret that requests of the form `http` are signed with. It is shown only in this answer; null for other forms.',
      ),
    ),
  },
  named('NewFeed'),
);
export type NewFeedAnswer = Shape<typeof NewFeedAnswer>;

export const FeedTestAnswer = Type.Object(
  {
    taken: flag('The receiver took the record.'),
    failure: orNull(text('Why the receiver did not take it; null when it did.')),
  },
  named('FeedTest'),
);
export type FeedTestAnswer = Shape<typeof FeedTestAnswer>;

export const FeedsAnswer = Type.Object({ feeds: listOf(FeedObject) }, named('Feeds'));
export type FeedsAnswer = Shape<typeof FeedsAnswer>;
