// Operators in the operator API.

import { type Static, Type } from '@sinclair/typebox';
import { flag, listOf, moment, named, oneOf, orNull, type Shape, text } from './shape.ts';

const strict = { additionalProperties: false };
export const ROLES = ['owner', 'support', 'read_only'] as const;

const role = Type.Union(
  ROLES.map((one) => Type.Literal(one)),
  { description: 'one of owner, support, read_only' },
);

export const NewOperatorBody = Type.Object(
  { email: Type.String({ minLength: 3, maxLength: 320, description: 'an email address' }), role },
  { ...strict, title: 'NewOperatorBody' },
);
export type NewOperatorBody = Static<typeof NewOperatorBody>;

export const OperatorChangesBody = Type.Object({ role }, { ...strict, title: 'OperatorChangesBody' });
export type OperatorChangesBody = Static<typeof OperatorChangesBody>;

const operatorFields = {
  userId: text('The user id of the operator, used in paths.'),
  email: text('The address that the person signs in with.'),
  name: text('The name of the person.'),
  role: oneOf(ROLES, 'What the operator may do.'),
  suspended: flag('True: the account is suspended, and the operator locked out with it.'),
  createdAt: moment('When the person became an operator.'),
};

export const OperatorAnswer = Type.Object(operatorFields, named('Operator'));
export type OperatorAnswer = Shape<typeof OperatorAnswer>;

export const OperatorListAnswer = Type.Object({ operators: listOf(OperatorAnswer) }, named('OperatorList'));
export type OperatorListAnswer = Shape<typeof OperatorListAnswer>;

/** The operator who is asking. */
export const ActingOperatorAnswer = Type.Object(
  {
    userId: orNull(text('Null with the operator token.')),
    email: orNull(text('Null with the operator token.')),
    role: oneOf(ROLES, 'What the caller may do.'),
  },
  named('ActingOperator'),
);
export type ActingOperatorAnswer = Shape<typeof ActingOperatorAnswer>;
