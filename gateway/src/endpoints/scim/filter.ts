// The filters that directories send: one or more attributes that equal something, joined by "and". Everything else of
// the grammar is refused, so that no filter is silently ignored.

import { ApiError } from '../../errors/api-error.ts';

export type Condition = Readonly<{
  /** In lower case, without the name of its schema: `username`, `emails.value`. */
  attribute: string;
  value: string;
}>;

const FILTER_LENGTH_MAX = 1_000;
const CONDITION =
  /\s*([\w$.:-]+(?:\[[^\]"]*(?:"[^"]*"[^\]"]*)?\])?(?:\.\w+)?)\s+eq\s+("(?:[^"\\]|\\.)*"|true|false)\s*(and\s|$)/iy;
/** Entra asks `id eq "…" and manager eq "…"`; an attribute that is not stored equals nothing. */
const NOT_KEPT = /^(?:urn:|manager$)/;
const URN = /^urn:ietf:params:scim:schemas:core:2\.0:\w+:/i;

export const attributeName = (text: string): string => text.replace(URN, '').toLowerCase();

export function parseFilter(text: string | null): readonly Condition[] {
  if (text === null || text.trim() === '') return [];
  if (text.length > FILTER_LENGTH_MAX) throw invalidFilter();
  const conditions: Condition[] = [];
  const pattern = new RegExp(CONDITION);
  while (pattern.lastIndex < text.length) {
    const [, attribute, literal, more] = pattern.exec(text) ?? [];
    if (attribute === undefined || literal === undefined) throw invalidFilter();
    const name = attributeName(attribute).replace(/\[.*\]/, '');
    conditions.push({ attribute: name, value: literal.startsWith('"') ? unquote(literal) : literal.toLowerCase() });
    if ((more === '') !== (pattern.lastIndex === text.length)) throw invalidFilter();
  }
  return conditions;
}

/** The wanted value of each name, or null when no resource can fit; 400 for a name that cannot be asked for. */
export function wantedOf<const Name extends string>(
  conditions: readonly Condition[],
  columns: Readonly<Record<string, Name>>,
): Readonly<Partial<Record<Name, string>>> | null {
  const wanted: Partial<Record<Name, string>> = {};
  for (const { attribute, value } of conditions) {
    if (NOT_KEPT.test(attribute)) return null;
    const column = Object.hasOwn(columns, attribute) ? columns[attribute] : undefined;
    if (column === undefined || wanted[column] !== undefined) throw invalidFilter();
    wanted[column] = value;
  }
  return wanted;
}

/** Nothing that is stored has a NUL in it, and the database cannot be asked for one. */
function unquote(literal: string): string {
  const text = parsed(literal);
  if (text?.includes('\0') === false) return text;
  throw invalidFilter();
}

function parsed(literal: string): string | null {
  try {
    return String(JSON.parse(literal));
  } catch {
    return null;
  }
}

const invalidFilter = (): ApiError =>
  new ApiError('http_400', 'filter: only attributes that equal a value ("eq"), joined by "and", can be asked for.', {
    details: { scimType: 'invalidFilter' },
  });
