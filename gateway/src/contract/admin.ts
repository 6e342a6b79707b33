// The operator API's bodies and answers. Unknown fields are refused by name: a misspelt `suspended` that is silently
// ignored would leave an account open.

import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false };
const NAME_LENGTH_MAX = 200;

const name = Type.String({
  minLength: 1,
  maxLength: NAME_LENGTH_MAX,
  description: `text of 1 to ${NAME_LENGTH_MAX} characters`,
});

export const NewUserBody = Type.Object(
  {
    email: Type.String({ minLength: 3, maxLength: 320, description: 'an email address' }),
    name,
    password: Type.Optional(
      Type.String({ minLength: 8, maxLength: 1024, description: 'text of 8 to 1024 characters' }),
    ),
  },
  strict,
);
export type NewUserBody = Static<typeof NewUserBody>;

export const UserChangesBody = Type.Object(
  { suspended: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  strict,
);
export type UserChangesBody = Static<typeof UserChangesBody>;

export const CreditBody = Type.Object(
  {
    amountUsd: Type.Union([Type.Number(), Type.String({ maxLength: 40 })], {
      description: 'an amount in USD with at most nine decimals',
    }),
    note: Type.Optional(Type.String({ maxLength: 500, description: 'text of at most 500 characters' })),
  },
  strict,
);
export type CreditBody = Static<typeof CreditBody>;

export const NewKeyBody = Type.Object(
  {
    name,
    keyType: Type.Optional(
      Type.Union([Type.Literal('standard'), Type.Literal('management')], { description: 'standard or management' }),
    ),
  },
  strict,
);
export type NewKeyBody = Static<typeof NewKeyBody>;

export const KeySwitchBody = Type.Object(
  { enabled: Type.Optional(Type.Boolean({ description: 'true or false' })) },
  strict,
);
export type KeySwitchBody = Static<typeof KeySwitchBody>;

export type UserAnswer = Readonly<{ id: string; email: string; name: string }>;
export type UserStateAnswer = UserAnswer & Readonly<{ suspended: boolean }>;

export type UserListAnswer = Readonly<{
  users: readonly (UserStateAnswer & Readonly<{ createdAt: string }>)[];
  /** The `cursor` of the page that follows; null on the last one. */
  next: string | null;
}>;

export type UserDetailAnswer = UserStateAnswer &
  Readonly<{
    createdAt: string;
    balanceUsd: number;
    /** Of all accounts, without the revoked ones. */
    keyCount: number;
    organizations: readonly Readonly<{ id: string; name: string; role: string }>[];
  }>;

export type BalanceAnswer = Readonly<{ balanceUsd: number }>;

export type LedgerCheckAnswer = Readonly<{
  ok: boolean;
  accounts: number;
  entries: number;
  heldReservations: number;
  discrepancies: readonly string[];
}>;
