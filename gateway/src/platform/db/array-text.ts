// Arrays as the database reads them from text: `{1,2}`. The driver would quote and escape every element by itself, which
// for the columns of a batch costs more than all the rest of sending it.

/** Needs no quotes within an array, and is storable as it is. */
const PLAIN = /^[A-Za-z0-9_.:@/+-]+$/;
const SPECIAL = /["\\]/g;

/** Whether a text can stand in an array without quotes. */
export const isPlain = (text: string): boolean => PLAIN.test(text) && !(text.length === 4 && /^null$/i.test(text));

/** One element. */
export function elementText(text: string | null): string {
  if (text === null) return 'NULL';
  return isPlain(text) ? text : `"${text.replace(SPECIAL, '\\$&')}"`;
}

/** Of elements that are written as an array has them. */
export const arrayText = (elements: readonly string[]): string => `{${elements.join(',')}}`;
