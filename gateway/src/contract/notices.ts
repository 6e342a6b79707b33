// Notices as people, administrators and the operator configure them: addresses, kinds, and recent deliveries.

import { type Static, Type } from '@sinclair/typebox';
import { count, flag, listOf, moment, named, orNull, type Shape, oneOf as shown, text, usd } from './shape.ts';

const strict = { additionalProperties: false };

const OF_ACCOUNTS = [
  'balance.low',
  'budget.reached',
  'breaker.tripped',
  'key.unused',
  'key.expiring',
  'key.leaked',
  'top_up.failed',
  'top_up.ceiling',
  'account.restricted',
] as const;

/** What each kind of owner can be told about. */
export const NOTICE_KINDS = {
  user: [...OF_ACCOUNTS, 'batch.ended', 'video.ended'],
  org: [...OF_ACCOUNTS, 'upstream.failing', 'feed.failing', 'batch.ended', 'video.ended'],
  operator: [
    'provider.failing',
    'feed.failing',
    'books.differ',
    'breaker.tripped',
    'top_up.failed',
    'account.restricted',
  ],
} as const;

export type NoticeOwnerKind = keyof typeof NOTICE_KINDS;
export type NoticeKind = (typeof NOTICE_KINDS)[NoticeOwnerKind][number];

const ALL_KINDS: readonly NoticeKind[] = [...new Set(Object.values(NOTICE_KINDS).flat())];
const CHANNELS = ['mail', 'webhook', 'slack'] as const;
export type NoticeChannel = (typeof CHANNELS)[number];

const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>(
    Type.String({
      pattern: `^(?:${values.map((value) => value.replace('.', '\\.')).join('|')})$`,
      description: `one of ${values.join(', ')}`,
    }),
  );

const chosen = {
  kinds: Type.Array(oneOf(ALL_KINDS), {
    minItems: 1,
    maxItems: ALL_KINDS.length,
    description: 'a list of kinds of notices',
  }),
  lowBalanceUsd: Type.Union([Type.Number({ minimum: 0, maximum: 1_000_000 }), Type.Null()], {
    description: 'an amount from 0 to 1000000, or null',
  }),
  enabled: Type.Boolean({ description: 'true or false' }),
};

export const NewNoticeAddressBody = Type.Object(
  {
    channel: oneOf(CHANNELS),
    target: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 2_048,
        description: 'a URL, or a mail address, of at most 2048 characters',
      }),
    ),
    kinds: chosen.kinds,
    lowBalanceUsd: Type.Optional(chosen.lowBalanceUsd),
  },
  { ...strict, title: 'NewNoticeAddressBody' },
);
export type NewNoticeAddressBody = Static<typeof NewNoticeAddressBody>;

export const ChangeNoticeAddressBody = Type.Object(Type.Partial(Type.Object(chosen)).properties, {
  ...strict,
  title: 'ChangeNoticeAddressBody',
});
export type ChangeNoticeAddressBody = Static<typeof ChangeNoticeAddressBody>;

const addressFields = {
  id: text('The id of the address, used in paths.'),
  channel: shown(CHANNELS, 'How notices are sent.'),
  shown: text('The mail address, or the host of the URL. The rest of a URL is never shown.'),
  kinds: listOf(Type.String(), 'The kinds of notices that are sent there.'),
  lowBalanceUsd: orNull(usd('`balance.low` comes when the balance falls below this. Null: never.')),
  enabled: flag('False: nothing is sent there.'),
  createdAt: moment('When it was made.'),
};

export const NoticeAddressObject = Type.Object(addressFields, named('NoticeAddress'));
export type NoticeAddressObject = Shape<typeof NoticeAddressObject>;

export const NewNoticeAddressAnswer = Type.Object(
  {
    ...addressFields,
    secret: orNull(
      text(
        'The secret that requests to a webhook are signed with. It is shown only in this answer; null for other channels.',
      ),
    ),
  },
  named('NewNoticeAddress'),
);
export type NewNoticeAddressAnswer = Shape<typeof NewNoticeAddressAnswer>;

const STATES = ['waiting', 'sent', 'given_up', 'held_back'] as const;

const NoticeEntry = Type.Object(
  {
    id: text('The id of the notice; a webhook gets it as `webhook-id`.'),
    kind: text('The kind of the notice.'),
    title: text('The text of the notice, in one line.'),
    addressId: text('The id of the address that it was sent to.'),
    state: shown(STATES, '`held_back`: the address had already got the most notices of a day.'),
    attempts: count('How often it was tried.'),
    failure: orNull(text('Why the last attempt failed.')),
    createdAt: moment('When the cause was seen.'),
    endedAt: orNull(moment('When it was sent, or given up.')),
  },
  named('NoticeEntry'),
);

export const NoticesAnswer = Type.Object(
  {
    kinds: listOf(Type.String(), 'The kinds of notices that can be chosen here.'),
    addresses: listOf(NoticeAddressObject),
    log: listOf(NoticeEntry, 'The newest fifty, the newest first.'),
  },
  named('Notices'),
);
export type NoticesAnswer = Shape<typeof NoticesAnswer>;
