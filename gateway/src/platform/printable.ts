// Parts of what is printed on an operator's terminal were written by strangers: names of users, errors of providers,
// refused texts. A terminal obeys control characters, so they are removed.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const NOT_IN_A_CELL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Line breaks and tabs stay. */
export const printable = (text: string): string => text.replace(CONTROL, '\ufffd');

/** For a cell of a table, which is one line. */
export const printableLine = (text: string): string => text.replace(NOT_IN_A_CELL, ' ');
