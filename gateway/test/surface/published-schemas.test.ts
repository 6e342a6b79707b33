// Keeps published fields: one that disappears, gets another type, or becomes required in a request breaks clients, so
// it must be changed in the list on purpose. New fields are allowed, and are added to the list.

import { readFile, writeFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Harness, type Json, startHarness } from '../harness.ts';

const LIST = new URL('published-schemas.txt', import.meta.url);

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness();
});
afterAll(() => harness.close());

/** One line for each field: where it is, its type, and whether it is always there. */
function fieldsOf(place: string, schema: Json): readonly string[] {
  const inside = [
    ...Object.entries((schema.properties ?? {}) as Record<string, Json>).flatMap(([name, property]) => {
      const isRequired = ((schema.required ?? []) as string[]).includes(name);
      const line = `${place}.${name} ${typeOf(property)}${isRequired ? ' required' : ''}`;
      return [line, ...fieldsOf(`${place}.${name}`, property)];
    }),
    ...(schema.items === undefined ? [] : fieldsOf(`${place}[]`, schema.items as Json)),
    ...((schema.anyOf ?? []) as Json[]).flatMap((choice) => fieldsOf(place, choice)),
  ];
  return [...new Set(inside)];
}

function typeOf(schema: Json): string {
  if (typeof schema.$ref === 'string') return schema.$ref.split('/').at(-1) ?? '';
  if (Array.isArray(schema.anyOf)) return [...new Set(schema.anyOf.map((one) => typeOf(one as Json)))].sort().join('|');
  if (schema.type === 'array') return `${typeOf((schema.items ?? {}) as Json)}[]`;
  if (schema.const !== undefined) return typeof schema.const;
  return String(schema.type ?? 'any');
}

test('VER-07 every published field is still there, of the same type, and none became required', async () => {
  const { body } = await harness.request('GET', '/openapi.json');
  const schemas = (body.components as { schemas: Record<string, Json> }).schemas;
  const lines = Object.entries(schemas)
    .flatMap(([name, schema]) => fieldsOf(name, schema))
    .sort();
  expect(lines.length).toBeGreaterThan(300);
  if (process.env.TOLLGATE_UPDATE_SURFACE === 'yes') await writeFile(LIST, `${lines.join('\n')}\n`);
  const published = (await readFile(LIST, 'utf8')).trim().split('\n');
  const now = new Set(lines);
  expect(published.filter((line) => !now.has(line))).toEqual([]);
  const known = new Set(published.map((line) => line.split('.')[0]));
  const listed = new Set(published);
  const isNewDemand = (line: string): boolean =>
    / required$/.test(line) &&
    /^\w*(?:Body|Request)\./.test(line) &&
    known.has(line.split('.')[0]) &&
    !listed.has(line);
  expect(lines.filter(isNewDemand)).toEqual([]);
});
