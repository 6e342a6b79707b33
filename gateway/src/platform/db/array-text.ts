// Arrays in PostgreSQL's text form: `{1,2}`. The driver would quote and escape every element, which for the columns of
// a batch costs more than the rest of sending it.

/** Text that needs no quotes in an array and can be stored as it is. */
const PLAIN = /^[A-Za-z0-9_.:@/+-]+$/;
const SPECIAL = /["\\]/g;

/** Whether a text can stand in an array without quotes. */
export const isPlain = (text: string): boolean => PLAIN.test(text) && !(text.length === 4 && /^null$/i.test(text));

/** One element. */
export function elementText(text: string | null): string {
  if (text === null) return 'NULL';
  return isPlain(text) ? text : `"${text.replace(SPECIAL, '\\$&')}"`;
}

/** Makes an array of elements that are already in array form. */
export const arrayText = (elements: readonly string[]): string => `{${elements.join(',')}}`;
