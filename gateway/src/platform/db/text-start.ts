// The pattern for LIKE that finds texts by how they begin. Signs that stand for any text there stand for themselves:
// otherwise a search for `%` would read every row.

export function textStart(text: string): string {
  return `${text.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
