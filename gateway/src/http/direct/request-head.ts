// Reads the head of an ordinary call of a model: everything in one read, spelled in the one way that nobody reads
// differently. Whatever is unusual is not judged here but left to Node's parser, so this knows only a small part of HTTP
// and accepts nothing that Node would refuse.

import type { IncomingHttpHeaders } from 'node:http';
import { withoutMargins } from '../../platform/header-value.ts';

export type RequestHead = Readonly<{
  path: string;
  headers: Readonly<IncomingHttpHeaders>;
  bodyBytes: number;
  /** Where the body begins. */
  end: number;
}>;

const HEAD_BYTES_MAX = 16_384;
/** Ordinary clients send ten to twenty, and what is remembered of a connection must stay small. */
const LINES_MAX = 48;
/** Of a longer head nothing is remembered. */
const KEPT_BYTES_MAX = 2_048;
const HEAD_END = Buffer.from('\r\n\r\n');
const LINE_END = '\r\n';
const METHOD = 'POST ';
const VERSION = ' HTTP/1.1';
const LETTER_P = 0x50;

const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** A call without a body is unusual. */
const LENGTH = /^[1-9]\d{0,8}$/;
const JSON_TYPE = /^application\/json *(?:;|$)/i;
/** What changes how a request is read, or what its connection is used for; and what Node keeps in another way. */
const UNUSUAL: ReadonlySet<string> = new Set([
  'content-encoding',
  'expect',
  'http2-settings',
  'proxy-connection',
  'set-cookie',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  '__proto__',
]);

/** A header line with its line end, and what it says. */
type HeadLine = Readonly<{ text: string; name: string; value: string }>;

/**
 * For one connection. A client sends nearly the same head with each of its calls, so a line that stands where it stood
 * in the head before needs no second look.
 */
export class RequestHeadReader {
  #lines: readonly HeadLine[] = [];
  #headers: Readonly<IncomingHttpHeaders> | null = null;

  /** Null for what Node shall read. */
  read(bytes: Buffer): RequestHead | null {
    if (bytes[0] !== LETTER_P) return null;
    const end = bytes.indexOf(HEAD_END);
    if (end === -1 || end > HEAD_BYTES_MAX - HEAD_END.length) return null;
    const text = bytes.toString('latin1', 0, end + LINE_END.length);
    const first = text.indexOf(LINE_END);
    const versionAt = first - VERSION.length;
    if (!text.startsWith(METHOD) || !text.startsWith(VERSION, versionAt)) return null;
    const lines = this.#linesOf(bytes, text, first + LINE_END.length);
    const headers = lines === this.#lines ? this.#headers : lines === null ? null : headersOf(lines);
    if (lines === null || headers === null) return null;
    const isKept = end <= KEPT_BYTES_MAX;
    this.#lines = isKept ? lines : [];
    this.#headers = isKept ? headers : null;
    const path = text.slice(METHOD.length, versionAt);
    return { path, headers, bodyBytes: Number(headers['content-length']), end: end + HEAD_END.length };
  }

  /** The same list as before where every line is the same. */
  #linesOf(bytes: Buffer, text: string, start: number): readonly HeadLine[] | null {
    const known = this.#lines;
    let changed: HeadLine[] | null = null;
    let count = 0;
    for (let at = start; at < text.length; count += 1) {
      if (count === LINES_MAX) return null;
      const before = known[count];
      if (before !== undefined && text.startsWith(before.text, at)) {
        changed?.push(before);
        at += before.text.length;
        continue;
      }
      const next = text.indexOf(LINE_END, at) + LINE_END.length;
      // A part of the text would keep all of it in memory for as long as the connection lasts.
      const line = lineOf(bytes.toString('latin1', at, next));
      if (line === null) return null;
      changed ??= known.slice(0, count);
      changed.push(line);
      at = next;
    }
    if (changed !== null) return changed;
    return count === known.length ? known : known.slice(0, count);
  }
}

function lineOf(text: string): HeadLine | null {
  const colon = text.indexOf(':');
  const name = text.slice(0, Math.max(colon, 0));
  const value = text.slice(colon + 1, -LINE_END.length);
  if (!NAME.test(name) || !VALUE.test(value)) return null;
  const lowered = name.toLowerCase();
  // Node refuses a tab behind this value, and behind no other.
  if (lowered === 'content-length' && value.includes('\t')) return null;
  return { text, name: lowered, value: withoutMargins(value) };
}

/** Null where a header is sent twice, or says that the request is no ordinary one. */
function headersOf(lines: readonly HeadLine[]): IncomingHttpHeaders | null {
  const headers: IncomingHttpHeaders = {};
  for (const { name, value } of lines) {
    if (UNUSUAL.has(name) || Object.hasOwn(headers, name)) return null;
    headers[name] = value;
  }
  const { host, connection } = headers;
  if (host === undefined || host === '') return null;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return null;
  if (!JSON_TYPE.test(headers['content-type'] ?? '')) return null;
  return LENGTH.test(headers['content-length'] ?? '') ? headers : null;
}
