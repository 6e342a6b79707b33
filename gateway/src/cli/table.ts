// Plain tables for people: columns as wide as their widest cell, numbers as they came, nothing for scripts to parse
// (they have --json).

import { printableLine } from './printable.ts';

export type Row = Readonly<Record<string, string | number | boolean | null | undefined>>;

const cell = (value: Row[string]): string =>
  value === null || value === undefined ? '-' : printableLine(String(value));

export function formatTable(columns: readonly string[], rows: readonly Row[]): string {
  const lines = [
    columns.map((column) => column.toUpperCase()),
    ...rows.map((row) => columns.map((it) => cell(row[it]))),
  ];
  const widths = columns.map((_, index) => Math.max(...lines.map((line) => line[index]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((text, index) => text.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** One object as a list of its plain fields, in the order they came. */
export function formatFields(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  const fields = Object.entries(value).filter(([, field]) => typeof field !== 'object' || field === null);
  const width = Math.max(0, ...fields.map(([name]) => name.length));
  return fields.map(([name, field]) => `${name.padEnd(width)}  ${cell(field)}`).join('\n');
}
