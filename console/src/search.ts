// Reads what an address carries after the question mark. The router turns what looks like a number into one; ids and
// names are always text here.

export function textOf<Name extends string>(
  search: Record<string, unknown>,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const texts: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === 'number' || typeof value === 'boolean') texts[name] = String(value);
    if (typeof value === 'string' && value !== '') texts[name] = value;
  }
  return texts;
}

/** What narrows the list of models down, as its address names it. */
export const MODEL_FILTERS = ['q', 'makes', 'takes', 'can', 'provider', 'price', 'context', 'order'] as const;

/** A page of this site: nothing that a browser could read as another host. */
export const isOwnPage = (path: string): boolean => /^\/(?![/\\])/.test(path);
