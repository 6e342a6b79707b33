// JSON as if it had just come over the wire, for tests of functions that read it.

import type { SourcedJson } from '../src/canonical/answer.ts';
import type { JsonObject } from '../src/canonical/json.ts';
import { parseExactJson, stringifyExactJson } from '../src/platform/exact-json.ts';
import { documentOf, type JsonDocument } from '../src/platform/json-document.ts';
import { NO_LIMITS, scanJson } from '../src/platform/json-scan.ts';

export const UNLIMITED = NO_LIMITS;

export function jsonSource(text: string): JsonDocument {
  const bytes = Buffer.from(text);
  return documentOf(JSON.parse(text), bytes, scanJson(bytes, UNLIMITED));
}

export function sourcedJson(value: object): SourcedJson {
  const source = jsonSource(JSON.stringify(value));
  return { json: source.json, source };
}

/** A request's body and what it was made from; neither can be edited. */
export function sourcedBody(value: object): Readonly<{ body: JsonObject; source: JsonDocument }> {
  const bytes = Buffer.from(stringifyExactJson(value));
  const scanned = scanJson(bytes, UNLIMITED);
  const body = freeze(parseExactJson(bytes, scanned.spans) as JsonObject);
  return { body, source: documentOf(body, bytes, scanned) };
}

function freeze<Value>(value: Value): Value {
  if (typeof value === 'object' && value !== null) Object.values(Object.freeze(value)).forEach(freeze);
  return value;
}
