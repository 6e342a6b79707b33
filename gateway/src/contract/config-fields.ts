// The parts that schemas of the config document are made of. Each describes what is expected, for an operator who got
// it wrong.

import { Type } from '@sinclair/typebox';

export const strict = { additionalProperties: false };

export const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>(
    Type.String({ enum: values, pattern: `^(${values.join('|')})$`, description: `one of ${values.join(', ')}` }),
  );

export const text = (maxLength: number, description = `text of at most ${maxLength} characters`) =>
  Type.String({ maxLength, description });

export const word = Type.String({ pattern: '^[A-Za-z0-9_.:-]{1,64}$', description: 'a short name without spaces' });

export const count = (maximum: number) =>
  Type.Integer({ minimum: 1, maximum, description: `a whole number from 1 to ${maximum}` });
