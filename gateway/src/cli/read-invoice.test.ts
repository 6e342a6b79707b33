// Invoices as providers write them: headings of their own, quotes or none, amounts with more decimals than we keep.

import { describe, expect, test } from 'vitest';
import { UsageError } from './command.ts';
import { parseAmount, parseCells, readInvoice } from './read-invoice.ts';

describe('cells', () => {
  test('with and without quotes, with either line ending, and empty ones', () => {
    expect(parseCells('\ufeffa,"b,""c"""\r\n"d\ne",f\n,\nlast,')).toEqual([
      ['a', 'b,"c"'],
      ['d\ne', 'f'],
      ['last', ''],
    ]);
  });

  test('what is not CSV is refused, and long lines are read in time', () => {
    expect(() => parseCells('a\n"b"c')).toThrow(UsageError);
    expect(parseCells(`${'"'.repeat(200_000)}`)).toHaveLength(1);
  });
});

test.each([
  ['0', 0n],
  ['1', 1_000_000_000n],
  ['.5', 500_000_000n],
  ['12.', 12_000_000_000n],
  ['$1,234.56', 1_234_560_000_000n],
  ['0.0000000004', 0n],
  ['0.0000000005', 1n],
  ['-2.5', -2_500_000_000n],
  ['', null],
  ['.', null],
  ['1e3', null],
  ['five', null],
])('an amount %j is %s', (text, amount) => {
  expect(parseAmount(text)).toBe(amount);
});

describe('invoices', () => {
  test('are read by the headings they have, or by those that are named', () => {
    const lines = [{ date: '2026-03-10', model: 'm-1', nanoUsd: 250_000_000n }];
    expect(readInvoice('Date,Model,Cost\n2026-03-10T00:00:00Z,m-1,0.25\n', {})).toEqual(lines);
    expect(
      readInvoice('when,what,Model,price\n2026-03-10,m-1,x,$0.25', { date: 'When', model: 'what', cost: 'price' }),
    ).toEqual(lines);
  });

  test.each([
    ['', 'empty'],
    ['a,b\n1,2', '--date-column'],
    ['date,model,cost\n10/03/2026,m,1', 'Line 2'],
    ['date,model,cost\n2026-03-10,m,1\n2026-03-10,m,x', 'Line 3'],
  ])('%j is refused with words that help', (text, words) => {
    expect(() => readInvoice(text, {})).toThrow(words);
  });
});
