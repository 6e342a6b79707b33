// Options of a command as the query of a call.

import type { CommandInput } from './command.ts';

/** What is not null, as the text after the path. */
export function queryOf(values: Readonly<Record<string, string | number | boolean | null>>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values)) if (value !== null) query.set(name, String(value));
  return query.size === 0 ? '' : `?${query}`;
}

/** What was given, as the text after the path. */
export function queryText(input: CommandInput, names: readonly string[]): string {
  return queryOf(Object.fromEntries(names.map((name) => [name, input.options[name] ?? null])));
}
