// Options of a command as the query of a request.

import type { CommandInput } from './command.ts';

/** The values that are not null, as the text after the path. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** The options that were given, as the text after the path. */
export function queryText(input: CommandInput, names: readonly string[]): string {
  return queryOf(Object.fromEntries(names.map((name) => [name, input.options[name] ?? null])));
}
