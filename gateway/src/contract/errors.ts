// The error envelopes: the one of every route, and the one of the Messages dialect.

import { Type } from '@sinclair/typebox';
import { named, text } from './shape.ts';

const code = Type.Union([Type.String(), Type.Integer()], {
  description: 'A stable word where the client can react to it; otherwise the HTTP status as a number.',
});

export const ErrorEnvelope = Type.Object(
  {
    error: Type.Object({
      message: text('A text for people; its words may change.'),
      type: text('The family of the error; it may change.'),
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
      message: text('A text for people; its words may change.'),
      code,
      details: Type.Optional(
        Type.Object({}, { additionalProperties: true, description: 'Further details for programs.' }),
      ),
    }),
  },
  named('MessagesError'),
);
