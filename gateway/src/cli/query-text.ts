// Options of a command as the query of a call.

import type { CommandInput } from './command.ts';

/** What was given, as the text after the path. */
export function queryText(input: CommandInput, names: readonly string[]): string {
  const query = new URLSearchParams();
  for (const name of names) {
    const value = input.options[name];
    if (value !== undefined) query.set(name, value);
  }
  return query.size === 0 ? '' : `?${query}`;
}
