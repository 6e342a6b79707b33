// Plain tables for people: columns as wide as their widest cell where the terminal has room, numbers unchanged. Scripts
// use --json instead.

import { printableLine } from '../platform/printable.ts';

export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

const cell = (value: Row[string]): string =>
  value === null || value === undefined ? '-' : printableLine(String(value));

/**
 * Separates the cells of a line until it is printed. No cell can contain it, because control characters were removed.
 */
const CELL_END = '\u001f';
const GAP = '  ';
/** A text cut shorter than this would say nothing. */
const CUT_WIDTH_MIN = 10;
const FIGURE = /^[-+\d.,:%$TZ]*$/;

/** `balanceUsd` as `BALANCE USD`. */
const heading = (column: string): string => column.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toUpperCase();

/** The table as text that is laid out when it is shown. */
export const formatTable = (columns: readonly string[], rows: readonly Row[]): string =>
  [columns.map(heading), ...rows.map((row) => columns.map((it) => cell(row[it])))]
    .map((line) => line.join(CELL_END))
    .join('\n');

/**
 * Lays out the tables in a text. Where the terminal is too narrow, texts are cut, and then rows become blocks of lines:
 * figures and the first column, which people copy, are always complete.
 */
export function layTables(text: string, terminalWidth = Number.POSITIVE_INFINITY): string {
  const laid: string[] = [];
  let table: string[][] = [];
  const endTable = (): void => {
    if (table.length > 0) laid.push(...layTable(table, terminalWidth));
    table = [];
  };
  for (const line of text.split('\n')) {
    const cells = line.split(CELL_END);
    if (cells.length !== table[0]?.length) endTable();
    if (cells.length > 1) table.push(cells);
    else laid.push(line);
  }
  endTable();
  return laid.join('\n');
}

function layTable(lines: readonly (readonly string[])[], terminalWidth: number): readonly string[] {
  const [head = [], ...rows] = lines;
  const widths = head.map((_, index) => Math.max(...lines.map((line) => widthOf(line[index] ?? ''))));
  const excess = widths.reduce((sum, width) => sum + width, GAP.length * (widths.length - 1)) - terminalWidth;
  if (excess > 0 && !narrow(widths, excess, rows)) return rows.flatMap((row) => ['', ...layRow(head, row)]).slice(1);
  return lines.map((line) =>
    line
      .map((text, index) => pad(cut(text, widths[index] ?? 0), widths[index] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
}

/** Shortens the widest texts, one after the other; false where that is not enough. */
function narrow(widths: number[], excess: number, rows: readonly (readonly string[])[]): boolean {
  const isText = widths.map((_, index) => index > 0 && rows.some((row) => !FIGURE.test(row[index] ?? '')));
  for (let left = excess; left > 0; left -= 1) {
    const widest = widths.reduce(
      (best, width, index) =>
        isText[index] === true && width > CUT_WIDTH_MIN && width > (widths[best] ?? 0) ? index : best,
      -1,
    );
    if (widest === -1) return false;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
  return true;
}

const characters = new Intl.Segmenter();
/** Characters that a terminal draws two columns wide: East Asian writing except its narrow forms, and emoji. */
const WIDE =
  /^(?![\uff61-\uffdc])(?:\p{Emoji_Presentation}|\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|[\u3000-\u303f\uff01-\uff60])/u;

const placesOf = (character: string): number => (WIDE.test(character) ? 2 : 1);

function widthOf(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of characters.segment(text)) width += placesOf(segment);
  return width;
}

const pad = (text: string, width: number): string => text + ' '.repeat(Math.max(0, width - widthOf(text)));

function cut(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let kept = '';
  let left = width - 1;
  for (const { segment } of characters.segment(text)) {
    left -= placesOf(segment);
    if (left < 0) break;
    kept += segment;
  }
  return `${kept}…`;
}

function layRow(head: readonly string[], row: readonly string[]): readonly string[] {
  const width = Math.max(...head.map(({ length }) => length));
  return head.map((name, index) => `${name.padEnd(width)}${GAP}${row[index] ?? ''}`);
}

/** One object as a list of its plain fields, in the order they came. */
export function formatFields(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).filter(([, field]) => typeof field !== 'object' || field === null);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, field]) => `${name.padEnd(width)}  ${cell(field)}`).join('\n');
}
