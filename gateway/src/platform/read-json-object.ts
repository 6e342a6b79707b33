// An upstream's JSON object, if it is one. Nesting is bounded before parsing: megabytes of brackets would block the
// process, and a tree that deep could not be written out again. Clients' bodies are bounded by
// `http/json-guard.ts`, with the same scan and narrower limits.

import { decodeText } from './decode-text.ts';
import { parseExactJson } from './exact-json.ts';
import { documentOf, type JsonDocument } from './json-document.ts';
import { JsonLimitError, type JsonLimits, scanJson } from './json-scan.ts';

type Members = { [name: string]: unknown };

const LIMITS: JsonLimits = {
  depthMax: 128,
  tokensMax: Number.POSITIVE_INFINITY,
  membersMax: 50_000,
  numberLengthMax: Number.POSITIVE_INFINITY,
  refusesHugeNumbers: false,
};

export function readJsonObject(source: Buffer | string): Members | null {
  try {
    // Each level needs an opening and a closing character, so the short frames of a stream need no scan.
    if (source.length > LIMITS.depthMax * 2)
      scanJson(typeof source === 'string' ? Buffer.from(source) : source, LIMITS);
    const json = JSON.parse(typeof source === 'string' ? source : decodeText(source));
    return isObject(json) ? json : null;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof JsonLimitError) return null;
    throw error;
  }
}

/** With its bytes, for code that passes them on; or the reason why it is not an object, for our logs. */
export function readJsonDocument(bytes: Buffer): JsonDocument | string {
  return readDocument(bytes, () => JSON.parse(decodeText(bytes)));
}

/** For JSON with a caller's own values, whose large integers must not change: they become bigint. */
export function readExactJsonDocument(bytes: Buffer): JsonDocument | string {
  return readDocument(bytes, (integerSpans) => parseExactJson(bytes, integerSpans));
}

/** A run of digits that may be an integer that a double cannot hold. */
const LONG_DIGITS = /\d{16}/;

/** The same for a frame of a stream, of which nobody needs the bytes. */
export function readExactJsonObject(text: string): Members | null {
  if (!LONG_DIGITS.test(text)) return readJsonObject(text);
  const document = readExactJsonDocument(Buffer.from(text, 'utf8'));
  return typeof document === 'string' ? null : document.json;
}

function readDocument(bytes: Buffer, parse: (integerSpans: readonly number[]) => unknown): JsonDocument | string {
  try {
    const scanned = scanJson(bytes, LIMITS);
    const json = parse(scanned.spans);
    if (isObject(json)) return documentOf(json, bytes, scanned);
  } catch (error) {
    if (error instanceof JsonLimitError) return `the answer ${error.message}`;
    if (!(error instanceof SyntaxError)) throw error;
  }
  return `no usable JSON object in ${bytes.length} bytes`;
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
