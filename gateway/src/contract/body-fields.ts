// Fields that several request bodies share. A value that does not fit is refused with the field's description, so each
// description says what is allowed.

import { Type } from '@sinclair/typebox';

export const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>(Type.String({ pattern: `^(?:${values.join('|')})$`, description: `one of ${values.join(', ')}` }));

/** A name that people give: one line, and not only spaces. */
export const shortName = Type.String({
  minLength: 1,
  maxLength: 100,
  pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f][^\\u0000-\\u001f\\u007f]*$',
  description: 'text of 1 to 100 characters',
});
