// Identity numbers that states give to people. Each is found by its shape and, where it has one, by its check digit;
// where the shape alone would match too much (nine digits in the United States), separators are required.

import { hasLuhnDigit } from './payment.ts';
import { digitsOf, findAll, type Template, type TextRange } from './template.ts';

type Kind = Readonly<{ pattern: RegExp; accept(match: string): boolean }>;

/** The weighted sum of digits, from the left. */
const weighted = (digits: string, weights: readonly number[]): number =>
  weights.reduce((sum, weight, index) => sum + weight * Number(digits[index]), 0);

const isOneDigit = (digits: string): boolean => /^(\d)\1*$/.test(digits);

const KINDS: readonly Kind[] = [
  // United States, social security: areas and groups that were never issued do not match.
  {
    pattern: /(?<![\w-])\d{3}([- ])\d{2}\1\d{4}(?![\w-])/g,
    accept: (match) => /^(?!000|666|9)\d{3}\D(?!00)\d{2}\D(?!0000)\d{4}$/.test(match),
  },
  // United Kingdom, national insurance.
  {
    pattern:
      /(?<![A-Za-z0-9])[A-CEGHJ-PR-TW-Za-ceghj-pr-tw-z][A-CEGHJ-NPR-TW-Za-ceghj-npr-tw-z] ?\d{2} ?\d{2} ?\d{2} ?[A-Da-d](?![A-Za-z0-9])/g,
    accept: (match) => !/^(?:BG|GB|KN|NK|NT|TN|ZZ)/i.test(match),
  },
  // Canada, social insurance.
  {
    pattern: /(?<![\w-])\d{3}([- ])\d{3}\1\d{3}(?![\w-])/g,
    accept: (match) => !/^[08]/.test(match) && hasLuhnDigit(digitsOf(match)),
  },
  // Germany, tax number of a person: exactly one digit occurs more than once among the first ten.
  { pattern: /(?<![\w-])[1-9]\d(?: ?\d{3}){3}(?![\w-])/g, accept: (match) => isGermanTaxNumber(digitsOf(match)) },
  // France, social security.
  {
    pattern: /(?<!\w)[1278] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?\d(?:\d|[ABab]) ?\d{3} ?\d{3} ?\d{2}(?!\w)/g,
    accept: isFrenchNumber,
  },
  // Spain, identity cards of citizens and residents.
  { pattern: /(?<!\w)[XYZxyz]?\d{7,8}[- ]?[A-Za-z](?!\w)/g, accept: isSpanishNumber },
  // Italy, tax code.
  {
    pattern: /(?<!\w)[A-Za-z]{6}\d{2}[A-EHLMPR-Ta-ehlmpr-t]\d{2}[A-Za-z]\d{3}[A-Za-z](?!\w)/g,
    accept: isItalianCode,
  },
  // Brazil, register of persons.
  {
    pattern: /(?<![\w.-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\w-])/g,
    accept: (match) => isBrazilianNumber(digitsOf(match)),
  },
  // China, resident identity card.
  {
    pattern: /(?<!\w)[1-9]\d{5}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx](?!\w)/g,
    accept: isChineseNumber,
  },
  // India, Aadhaar: only in groups, because twelve digits in a row have many other meanings.
  { pattern: /(?<![\w-])[2-9]\d{3}([- ])\d{4}\1\d{4}(?![\w-])/g, accept: (match) => hasVerhoeffDigit(digitsOf(match)) },
];

export const nationalId: Template = {
  hint: /\d\d/,
  find: (text) => KINDS.flatMap(({ pattern, accept }): readonly TextRange[] => findAll(text, pattern, accept)),
};

function isGermanTaxNumber(digits: string): boolean {
  const counts = new Map<string, number>();
  for (const digit of digits.slice(0, 10)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
  const repeated = [...counts.values()].filter((count) => count > 1);
  if (repeated.length !== 1 || (repeated[0] ?? 0) > 3) return false;
  let product = 10;
  for (const digit of digits.slice(0, 10)) {
    const sum = (Number(digit) + product) % 10;
    product = ((sum === 0 ? 10 : sum) * 2) % 11;
  }
  return (11 - product) % 10 === Number(digits[10]);
}

function isFrenchNumber(match: string): boolean {
  const number = match.replaceAll(' ', '').toUpperCase();
  // Corsica's departments are spelled 2A and 2B and counted as 19 and 18.
  const body = number.slice(0, 13).replace('2A', '19').replace('2B', '18');
  return /^\d{13}$/.test(body) && 97 - Number(BigInt(body) % 97n) === Number(number.slice(13));
}

function isSpanishNumber(match: string): boolean {
  const number = match.replace(/[- ]/g, '').toUpperCase();
  const digits = number.slice(0, -1).replace(/^[XYZ]/, (letter) => String('XYZ'.indexOf(letter)));
  return digits.length === 8 && 'TRWAGMYFPDXBNJZSQVHLCKE'[Number(digits) % 23] === number.at(-1);
}

const ODD_DIGITS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21];
const ODD_LETTERS = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];

function isItalianCode(match: string): boolean {
  const code = match.toUpperCase();
  let sum = 0;
  for (let index = 0; index < 15; index += 1) {
    const value = Number.parseInt(code[index] ?? '', 36);
    const isLetter = value > 9;
    const place = isLetter ? value - 10 : value;
    sum += index % 2 === 1 ? place : ((isLetter ? ODD_LETTERS : ODD_DIGITS)[place] ?? 0);
  }
  return code[15] === String.fromCharCode(65 + (sum % 26));
}

function isBrazilianNumber(digits: string): boolean {
  if (isOneDigit(digits)) return false;
  const check = (length: number): number => {
    const weights = Array.from({ length }, (_, index) => length + 1 - index);
    const rest = (weighted(digits, weights) * 10) % 11;
    return rest === 10 ? 0 : rest;
  };
  return check(9) === Number(digits[9]) && check(10) === Number(digits[10]);
}

function isChineseNumber(match: string): boolean {
  const sum = weighted(match, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]);
  return '10X98765432'[sum % 11] === match.at(-1)?.toUpperCase();
}

const PERMUTATION = [1, 5, 7, 6, 2, 8, 3, 0, 9, 4];

/** Verhoeff's check: a product in the symmetries of the pentagon, each digit moved by its place. */
function hasVerhoeffDigit(digits: string): boolean {
  let check = 0;
  for (let place = 0; place < digits.length; place += 1) {
    let digit = Number(digits[digits.length - 1 - place]);
    for (let times = 0; times < place % 8; times += 1) digit = PERMUTATION[digit] ?? 0;
    check = pentagonProduct(check, digit);
  }
  return check === 0;
}

function pentagonProduct(left: number, right: number): number {
  if (left < 5) return right < 5 ? (left + right) % 5 : ((left + right - 5) % 5) + 5;
  return right < 5 ? ((left - right + 5) % 5) + 5 : (left - right + 10) % 5;
}
