// The members of a JSON body as fields of a form, which knows texts alone: a list is a field that comes several times, an
// object is written as JSON.

import type { JsonObject } from '../canonical/json.ts';
import type { FormField } from './encode-form.ts';

export function formFields(body: JsonObject, unsent: ReadonlySet<string>): readonly FormField[] {
  return Object.entries(body).flatMap(([name, value]) => (unsent.has(name) ? [] : fieldsOf(name, value)));
}

function fieldsOf(name: string, value: unknown): readonly FormField[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => fieldsOf(`${name}[]`, item));
  return [[name, typeof value === 'object' ? JSON.stringify(value) : String(value)]];
}
