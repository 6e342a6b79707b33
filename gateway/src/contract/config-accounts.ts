// The part of the config document about people who sign up by themselves.

import { Type } from '@sinclair/typebox';

export const AccountsEntry = Type.Object(
  {
    /** The credit that a person gets for signing up and confirming an address. */
    welcome_credit_usd: Type.Optional(
      Type.String({ pattern: '^\\d{1,9}(\\.\\d{1,9})?$', description: 'an amount in USD, such as "1.50"' }),
    ),
    /** Where people are sent who cannot pay here, or have a question. */
    contact: Type.Optional(
      Type.String({
        pattern: '^(https?://[^\\s"<>]{1,300}|[^\\s@"<>]{1,64}@[^\\s@"<>]{1,250})$',
        description: 'an email address or a link',
      }),
    ),
    /** Whether operators who sign in must have shown a second factor. */
    operators_need_second_factor: Type.Optional(Type.Boolean({ description: 'true or false' })),
    /** Whether the pages of models can be read without signing in. */
    public_models: Type.Optional(Type.Boolean({ description: 'true or false' })),
  },
  { additionalProperties: false },
);
