// Finds mail addresses, and telephone numbers in the forms that people write. A telephone number needs a country code
// or the usual separators, because plain rows of digits are orders, amounts and dates.

import { digitsOf, findAll, type Template } from './template.ts';

const EMAIL =
  /(?<![A-Za-z0-9._%+'-])[A-Za-z0-9](?:[A-Za-z0-9._%+'-]{0,62}[A-Za-z0-9_+-])?@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9-])/g;

export const email: Template = { hint: /@/, find: (text) => findAll(text, EMAIL) };

/** With a country code, written with + or 00. */
const INTERNATIONAL = /(?<![\w+])(?:\+|00)[1-9](?:[ .\-/]{0,2}\(?\d\)?){6,14}(?!\d)/g;
/** North American: an area code and an exchange that exist, with separators. */
const NORTH_AMERICAN = /(?<![\w.+-]|\+1 )(?:1[ .-])?(?:\([2-9]\d{2}\) ?|[2-9]\d{2}[ .-])[2-9]\d{2}[ .-]\d{4}(?![\w-])/g;
/** With a leading 0, in groups. */
const NATIONAL = /(?<![\w.,:/-])\(?0[1-9]\d{0,4}\)?(?:[ /.-]\d{2,8}){1,5}(?![\w-])/g;

export const phone: Template = {
  hint: /\d[ .\-/()]{0,4}\d[ .\-/()]{0,4}\d/,
  find: (text) => [
    ...findAll(text, INTERNATIONAL, (match) => hasDigits(match.replace(/^00/, ''), 8, 15)),
    ...findAll(text, NORTH_AMERICAN),
    ...findAll(text, NATIONAL, (match) => hasDigits(match, 9, 12) && !isDate(match)),
  ],
};

function hasDigits(text: string, least: number, most: number): boolean {
  const { length } = digitsOf(text);
  return length >= least && length <= most;
}

/** Such as 01/02/2024. */
const isDate = (text: string): boolean => /^0?\d[./-]\d{1,2}[./-]\d{2,4}(?:[ .].*)?$/.test(text);
