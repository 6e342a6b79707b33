// The error envelopes: the one of every route, and the one of the Messages dialect.

import { Type } from '@sinclair/typebox';
import { named, text } from './shape.ts';

const code = Type.Union([Type.String(), Type.Integer()], {
  description: 'A stable word where a remedy exists, else the status.',
});

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      message: text('For people; it may change.'),
      type: text('A family of errors; it may change.'),
      code,
    }),
  },
  named('Error'),
);

export const MessagesErrorEnvelope = Type.Object(
  {
    type: Type.Literal('error'),
    error: Type.Object({
      type: text('Chosen by the status, as SDKs of this dialect expect it.'),
      message: text('For people; it may change.'),
      code,
      details: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'What a client needs to react by itself.' }),
      ),
    }),
  },
  named('MessagesError'),
);
