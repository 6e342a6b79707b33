// CSV (RFC 4180) that a spreadsheet opens without running anything. People choose the names of teams and members, and a
// cell that begins like a formula is one, quoted or not: only a leading apostrophe makes it text.

import { assert } from './assert.ts';

/** Tells a spreadsheet that the text is UTF-8. */
const BYTE_ORDER_MARK = '\ufeff';
const LINE_END = '\r\n';

// Some programs drop a leading tab or line break, blanks and quotes when they open a file, so the characters after them
// count. Some also take full-width signs for their plain forms.
const LIKE_FORMULA = /^(?:[\t\r\n]|[\s\p{Cc}\p{Cf}\p{Z}\p{Pi}\p{Pf}"'`´＂＇]*[=+\-@＝＋－＠−])/u;

const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** A number that we wrote ourselves: a negative one begins like a formula and stays a number all the same. */
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
