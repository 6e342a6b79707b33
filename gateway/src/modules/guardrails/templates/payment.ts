// Payment numbers: cards, by their length and check digit, and bank accounts, by their country's length and the
// remainder of 97.

import { digitsOf, findAll, type Template } from './template.ts';

/** Digits in groups or in one, with single separators. */
const CARD = /(?<![\d.])(?:\d[ \-.]?){12,18}\d(?!\d)/g;
/** First digits that issuers use, and how long their numbers are. */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|2(?:22[1-9]|2[3-9]|[3-6]|7[01]|720))/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16, 17, 18, 19]],
  [/^(?:6011|64[4-9]|65)/, [16, 17, 18, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 17, 18, 19]],
  [/^62/, [16, 17, 18, 19]],
  [/^(?:50|5[6-9]|6[0-9])/, [12, 13, 14, 15, 16, 17, 18, 19]],
];

export const creditCard: Template = {
  hint: /\d[ \-.]?\d[ \-.]?\d[ \-.]?\d/,
  find: (text) => findAll(text, CARD, isCard),
};

function isCard(text: string): boolean {
  const digits = digitsOf(text);
  const isIssued = ISSUERS.some(([start, lengths]) => start.test(digits) && lengths.includes(digits.length));
  // A row of one repeated digit passes the check and is no card.
  return isIssued && !/^(\d)\1+$/.test(digits) && hasLuhnDigit(digits);
}

/** Every second digit from the right is doubled; the sum of all digits must end in 0. */
export function hasLuhnDigit(digits: string): boolean {
  let sum = 0;
  for (let index = 0; index < digits.length; index += 1) {
    const digit = Number(digits[digits.length - 1 - index]);
    const value = index % 2 === 1 ? digit * 2 : digit;
    sum += value > 9 ? value - 9 : value;
  }
  return digits.length > 0 && sum % 10 === 0;
}

const IBAN = /(?<![A-Za-z0-9])[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]){11,30}(?![A-Za-z0-9])/g;
const IBAN_TAIL = /[ -]?[A-Za-z0-9]+$/;

/** The number of letters and digits of an account by country, from the registry. */
const IBAN_LENGTHS: Readonly<Record<string, number>> = {
  AD: 24,
  AE: 23,
  AL: 28,
  AT: 20,
  AZ: 28,
  BA: 20,
  BE: 16,
  BG: 22,
  BH: 22,
  BR: 29,
  BY: 28,
  CH: 21,
  CR: 22,
  CY: 28,
  CZ: 24,
  DE: 22,
  DK: 18,
  DO: 28,
  EE: 20,
  EG: 29,
  ES: 24,
  FI: 18,
  FO: 18,
  FR: 27,
  GB: 22,
  GE: 22,
  GI: 23,
  GL: 18,
  GR: 27,
  GT: 28,
  HR: 21,
  HU: 28,
  IE: 22,
  IL: 23,
  IQ: 23,
  IS: 26,
  IT: 27,
  JO: 30,
  KW: 30,
  KZ: 20,
  LB: 28,
  LC: 32,
  LI: 21,
  LT: 20,
  LU: 20,
  LV: 21,
  LY: 25,
  MC: 27,
  MD: 24,
  ME: 22,
  MK: 19,
  MR: 27,
  MT: 31,
  MU: 30,
  NL: 18,
  NO: 15,
  PK: 24,
  PL: 28,
  PS: 29,
  PT: 25,
  QA: 29,
  RO: 24,
  RS: 22,
  SA: 24,
  SC: 31,
  SE: 24,
  SI: 19,
  SK: 24,
  SM: 27,
  ST: 25,
  SV: 28,
  TL: 23,
  TN: 24,
  TR: 26,
  UA: 29,
  VA: 22,
  VG: 24,
  XK: 20,
};

export const iban: Template = {
  hint: /[A-Za-z]{2}\d{2}/,
  find(text) {
    return findAll(text, IBAN).flatMap(({ start, end }) => {
      const account = trimToAccount(text.slice(start, end));
      return account === null ? [] : [{ start, end: start + account.length }];
    });
  },
};

/** Words after an account number look like more of it, so they are removed one by one. */
function trimToAccount(text: string): string | null {
  for (let candidate = text; candidate.length >= 15; ) {
    if (isIban(candidate)) return candidate;
    const shorter = candidate.replace(IBAN_TAIL, '');
    if (shorter === candidate || !/[ -]/.test(candidate)) return null;
    candidate = shorter;
  }
  return null;
}

function isIban(text: string): boolean {
  const account = text.replace(/[ -]/g, '').toUpperCase();
  if (IBAN_LENGTHS[account.slice(0, 2)] !== account.length) return false;
  let remainder = 0;
  for (const character of account.slice(4) + account.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
