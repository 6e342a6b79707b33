// What a config file's references stand for, by place. A variable or a secret with a new value is no change of the file:
// the value is replaced where the live document still has the one that came from the file, and nothing else is touched.

import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '../../canonical/json.ts';
import type { ConfigDocument } from '../../contract/config.ts';
import { MAIN_KEY } from '../../contract/config-providers.ts';
import type { PathSegment } from './config-problem.ts';

type Path = readonly PathSegment[];

type ConfigFile = Readonly<{
  /** As it reads now. */
  document: ConfigDocument;
  /** Where it has references as it is written. */
  places: readonly Path[];
}>;

/** The file as it would read if its references stood for what is in another document at their places. */
export const withValuesOf = (file: ConfigFile, other: ConfigDocument): ConfigDocument =>
  mapPlaces(file.document, file.places, (value, path) => valueAt(other, path) ?? value);

/** The live document with the file's values, save where it no longer has those of the file before. */
export const withNewValues = (live: ConfigDocument, file: ConfigFile, before: ConfigDocument): ConfigDocument =>
  mapPlaces(live, file.places.flatMap(withOtherPlace), (value, path) =>
    isDeepStrictEqual(value, valueAt(before, path)) ? (valueAt(file.document, path) ?? value) : value,
  );

/** A list counts as one value, because its items have no names by which they could be found again. */
function mapPlaces(
  document: ConfigDocument,
  places: readonly Path[],
  map: (value: unknown, path: Path) => unknown,
): ConfigDocument {
  const visit = (value: unknown, path: Path, ahead: readonly Path[]): unknown => {
    if (ahead.length === 0) return value;
    if (!isJsonObject(value)) return map(value, path);
    const entries = Object.entries(value).map(([key, item]) => {
      // A key may be written as plain text, and is one step deeper in the normal form.
      const further = ahead.filter((place) => path.length >= place.length || place[path.length] === key);
      return [key, visit(item, [...path, key], further)] as const;
    });
    return Object.fromEntries(entries);
  };
  return visit(document, [], places) as ConfigDocument;
}

function valueAt(document: ConfigDocument, path: Path): unknown {
  for (const place of withOtherPlace(path)) {
    let value: unknown = document;
    for (const segment of place) value = isJsonObject(value) && Object.hasOwn(value, segment) ? value[segment] : null;
    if (value !== null) return value;
  }
  return null;
}

/** A provider's main key may stand alone or among several, and moves when an operator adds another. */
function withOtherPlace(path: Path): Path[] {
  const [section, name = '', member, key] = path;
  if (section !== 'providers') return [path];
  if (member === 'api_key') return [path, [section, name, 'api_keys', MAIN_KEY, 'key']];
  return member === 'api_keys' && key === MAIN_KEY ? [path, [section, name, 'api_key']] : [path];
}
