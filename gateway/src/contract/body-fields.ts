// Fields that several request bodies share. A value that does not fit is refused with the field's description, so each
// description says what is allowed.

import { Type } from '@sinclair/typebox';

export const oneOf = <const Value extends string>(values: readonly Value[]) =>
  Type.Unsafe<Value>(Type.String({ pattern: `^(?:${values.join('|')})$`, description: `one of ${values.join(', ')}` }));

/** What people call something. It is shown in tables and reports, where it must be seen and stay on its line. */
export const nameField = (lengthMax: number) =>
  Type.String({
    minLength: 1,
    maxLength: lengthMax,
    pattern: '^[^\\u0000-\\u001f\\u007f]*[^\\s\\u0000-\\u001f\\u007f][^\\u0000-\\u001f\\u007f]*$',
    description: `a line of text of 1 to ${lengthMax} characters, not only spaces`,
  });

export const shortName = nameField(100);
