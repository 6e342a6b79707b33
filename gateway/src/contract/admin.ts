// The operator API's bodies and answers. Unknown fields are ignored as everywhere, and the answer names them, so that a
// misspelt `suspended` does not leave an account open without a word.

import { type Static, Type } from '@sinclair/typebox';
import { nameField } from './body-fields.ts';
import { count, flag, listOf, moment, named, nextPage, orNull, type Shape, text, usd } from './shape.ts';

const strict = { additionalProperties: false };
const name = nameField(200);

export const NewUserBody = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 320, description: 'an email address' }),
    name,
    password: Type.Optional(
      Type.String({ minLength: 8, maxLength: 1024, description: 'text of 8 to 1024 characters' }),
    ),
  },
  { ...strict, title: 'NewUserBody' },
);
export type NewUserBody = Static<typeof NewUserBody>;

export const UserChangesBody = Type.Object(
  { suspended: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  { ...strict, title: 'UserChangesBody' },
);
export type UserChangesBody = Static<typeof UserChangesBody>;

export const CreditBody = Type.Object(
  {
    amountUsd: Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
      description: 'an amount in USD with at most nine decimals',
    }),
    note: Type.Optional(Type.String({ maxLength: 500, description: 'text of at most 500 characters' })),
  },
  { ...strict, title: 'CreditBody' },
);
export type CreditBody = Static<typeof CreditBody>;

export const NewKeyBody = Type.Object(
  {
    name,
    keyType: Type.Optional(
      Type.Union([Type.Literal('standard'), Type.Literal('management')], {
        description: 'one of standard, management',
      }),
    ),
  },
  { ...strict, title: 'NewKeyBody' },
);
export type NewKeyBody = Static<typeof NewKeyBody>;

export const KeySwitchBody = Type.Object(
  { enabled: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  { ...strict, title: 'KeySwitchBody' },
);
export type KeySwitchBody = Static<typeof KeySwitchBody>;

const userFields = {
  id: text('The id of the user, used in paths.'),
  email: text('The email address.'),
  name: text('The name of the user.'),
};
const userStateFields = { ...userFields, suspended: flag('True: the user cannot sign in, and all calls are refused.') };

export const UserAnswer = Type.Object(userFields, named('NewUser'));
export type UserAnswer = Shape<typeof UserAnswer>;

export const UserStateAnswer = Type.Object(userStateFields, named('User'));
export type UserStateAnswer = Shape<typeof UserStateAnswer>;

export const UserListAnswer = Type.Object(
  {
    users: listOf(
      Type.Object({
        ...userStateFields,
        createdAt: moment('When the account was created.'),
        balanceUsd: usd('The balance.'),
      }),
    ),
    next: nextPage('cursor'),
  },
  named('UserList'),
);
export type UserListAnswer = Shape<typeof UserListAnswer>;

export const UserDetailAnswer = Type.Object(
  {
    ...userStateFields,
    createdAt: moment('When the account was created.'),
    balanceUsd: usd('The balance.'),
    keyCount: count('How many keys the user has, in all accounts, without revoked ones.'),
    organizations: listOf(
      Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }),
      'Where the user is a member.',
    ),
  },
  named('UserDetail'),
);
export type UserDetailAnswer = Shape<typeof UserDetailAnswer>;

export const BalanceAnswer = Type.Object({ balanceUsd: usd('The balance after this.') }, named('Balance'));
export type BalanceAnswer = Shape<typeof BalanceAnswer>;

export const LedgerCheckAnswer = Type.Object(
  {
    ok: flag('Everything adds up.'),
    accounts: count('How many accounts were checked.'),
    entries: count('How many entries were added up.'),
    heldReservations: count('How many calls hold money at this moment.'),
    discrepancies: listOf(Type.String(), 'What does not add up, in words.'),
    month: Type.Optional(text('The closed month that was checked, where one was asked for.')),
    entriesBefore: Type.Optional(count('How many of the entries were checked before and not read again.')),
    everythingAt: Type.Optional(
      orNull(moment('When everything was last checked and nothing found; null: not since the last sealed month.')),
    ),
  },
  named('LedgerCheck'),
);
export type LedgerCheckAnswer = Shape<typeof LedgerCheckAnswer>;

export const OperatorLogAnswer = Type.Object(
  {
    data: listOf(
      Type.Object({
        id: text('The id of the entry.'),
        method: Type.String(),
        route: text('The route, as in this document.'),
        params: Type.Record(Type.String(), Type.String(), { description: 'The values of the path parameters.' }),
        requestId: text('The request id, as in the log.'),
        ip: orNull(text('The IP address of the request.')),
        operator: orNull(
          Type.Object(
            { userId: text('Who acted.'), email: text('Their address today.') },
            { description: 'Null: the operator token.' },
          ),
        ),
        createdAt: moment('When the request was made.'),
      }),
    ),
    next: nextPage('after'),
  },
  named('OperatorLog'),
);
export type OperatorLogAnswer = Shape<typeof OperatorLogAnswer>;
