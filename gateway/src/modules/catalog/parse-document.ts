// Turns a config file's text into plain values: YAML or JSON, with `${VAR}` and `${vault:…}` replaced in values only.
// Replacing happens after parsing, because a secret that contains a quote or a colon must not change what the file
// says.

import { parseDocument as parseYaml } from 'yaml';
import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { SOURCE_REFERENCE } from '../../platform/secret-sources.ts';
import { ConfigDocumentError, type PathSegment, printable, problemAt } from './config-problem.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

const REFERENCE = new RegExp(`\\$\\{([A-Za-z_][A-Za-z0-9_]*|${SOURCE_REFERENCE.source})\\}`, 'g');
const WHOLE_SOURCE = new RegExp(`^${SOURCE_REFERENCE.source}$`);
// Inside `{ }` YAML takes the braces of `${VAR}` for its own. Private-use characters stand in for them while it parses.
const OPENING = '\ue000';
const CLOSING = '\ue001';
const STANDING_IN = new RegExp(`${OPENING}([^${CLOSING}]+)${CLOSING}`, 'g');

export function parseDocumentText(text: string): JsonObject {
  const value = text.trimStart().startsWith('{') ? (parseJson(text) ?? parseYamlText(text)) : parseYamlText(text);
  if (value === null) return {};
  if (!isJsonObject(value)) throw new ConfigDocumentError(['document: expected a mapping of keys']);
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // YAML's flow style also starts with a brace; its parser then says what is wrong, with the line.
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function parseYamlText(text: string): unknown {
  const document = parseYaml(text.replace(REFERENCE, `${OPENING}$1${CLOSING}`), {
    merge: true,
    prettyErrors: true,
    // Keys that are lists become texts, as in JavaScript; nobody is to be warned of it on the program's output.
    logLevel: 'error',
  });
  if (document.errors.length > 0) {
    // The first line holds the position; what follows is an excerpt, which may show a secret.
    throw new ConfigDocumentError(
      document.errors.slice(0, 10).map((error) => (error.message.split('\n')[0] ?? '').replace(/:$/, '')),
    );
  }
  return mapStrings(plainValueOf(document), [], (value) => value.replace(STANDING_IN, '$${$1}'));
}

/** Aliases and merged keys are followed here, and what they lead to may not be there, or be far too much. */
function plainValueOf(document: ReturnType<typeof parseYaml>): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    throw new ConfigDocumentError([error instanceof Error ? error.message : 'an alias leads nowhere']);
  }
}

/**
 * Replaces `${VAR}` in every value. Names in `keptNames` stay as they are: their values differ from start to start, and
 * a document that held them would change each time.
 */
export function interpolate(document: JsonObject, variables: Variables, keptNames: ReadonlySet<string>): JsonObject {
  const problems: string[] = [];
  const interpolated = mapStrings(document, [], (text, path) =>
    text.replace(REFERENCE, (reference, name: string) => {
      if (keptNames.has(name)) return reference;
      const value = variables[name];
      if (value === undefined) problems.push(problemAt(path, unset(name)));
      return value ?? '';
    }),
  );
  if (problems.length > 0) throw new ConfigDocumentError(problems);
  return interpolated as JsonObject;
}

const unset = (name: string): string =>
  WHOLE_SOURCE.test(name)
    ? `${printable(name)} is read only in the file that a gateway starts with`
    : `the environment variable ${printable(name)} is not set`;

/** References to files and to services that keep secrets, each once. */
export function sourceReferences(document: JsonObject): readonly string[] {
  const found = new Set<string>();
  mapStrings(document, [], (text) => {
    for (const [, name = ''] of text.matchAll(REFERENCE)) if (WHOLE_SOURCE.test(name)) found.add(name);
    return text;
  });
  return [...found];
}

/** Where the values with references are. */
export function referencePaths(document: JsonObject): readonly (readonly PathSegment[])[] {
  const found: (readonly PathSegment[])[] = [];
  mapStrings(document, [], (text, path) => {
    if (hasReference(text)) found.push(path);
    return text;
  });
  return found;
}

export function hasReference(text: string): boolean {
  return text.search(REFERENCE) >= 0;
}

type StringMapper = (text: string, path: readonly PathSegment[]) => string;

function mapStrings(value: unknown, path: readonly PathSegment[], map: StringMapper): unknown {
  if (typeof value === 'string') return map(value, path);
  if (Array.isArray(value)) return value.map((item, index) => mapStrings(item, [...path, index], map));
  if (!isJsonObject(value)) return value;
  // `fromEntries` defines properties, so a key such as `__proto__` stays an ordinary key.
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapStrings(item, [...path, key], map)]));
}
