// CSV (RFC 4180) that a spreadsheet opens without running anything. Whoever names a team or a member decides what a cell
// begins with, and a cell that begins like a formula is one, quoted or not: only a leading apostrophe makes it text.

import { assert } from './assert.ts';

/** What lets a spreadsheet know that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';

// A tab or a line break is dropped by some on opening, and blanks and quotes are, too: what counts is what comes after
// them. Full-width signs are taken for their plain forms where such are typed.
const LIKE_FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}\p{Z}\p{Pi}\p{Pf}"'`´＂＇]*[=+\-@＝＋－＠−])/u;

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** A number that we wrote ourselves: below zero it begins like a formula, and stays a number all the same. */
export type CsvNumber = Readonly<{ decimal: string }>;

function cell(content: string | CsvNumber): string {
  if (typeof content !== 'string') {
    assert(DECIMAL.test(content.decimal), 'a number in a table is a decimal');
    return `"${content.decimal}"`;
  }
  return textCell(content);
}

function textCell(text: string): string {
  const harmless = LIKE_FORMULA.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}

export function formatCsv(rows: readonly (readonly (string | CsvNumber)[])[]): string {
  return BYTE_ORDER_MARK + rows.map((row) => row.map(cell).join(',') + LINE_END).join('');
}
