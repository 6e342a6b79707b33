// The head of an answer: its status, how its body is framed, and the headers that somebody here reads. Vendors send
// dozens, each its own, and an object of all of them costs a call more than the JSON of its answer does.

import { withoutMargins } from '../../platform/header-value.ts';

const NAMES = [
  ...(['content-encoding', 'content-length', 'content-range', 'content-type'] as const),
  ...(['date', 'retry-after', 'x-amzn-errortype'] as const),
] as const;
const FRAMING_NAMES = ['connection', 'keep-alive', 'transfer-encoding'] as const;

type Name = (typeof NAMES)[number];
type FramingName = (typeof FRAMING_NAMES)[number];
export type AnswerHeaders = Partial<Record<Name, string | undefined>>;
type Framing = Partial<Record<FramingName, string | undefined>>;

export type AnswerHead = Readonly<{
  status: number;
  headers: AnswerHeaders;
  /** Null where the end of the connection is the end of the body. */
  body: 'chunked' | Readonly<{ bytes: number }> | null;
  /** The connection may carry another call afterwards. */
  isKept: boolean;
  /** How long the upstream keeps a quiet connection, where it says so. */
  keptSeconds: number | null;
}>;

/** The bytes of an upstream are no answer of HTTP/1.1. */
export class MalformedAnswer extends Error {}

const KNOWN: ReadonlyMap<string, Name | FramingName> = new Map(
  [...NAMES, ...FRAMING_NAMES].map((name) => [name, name]),
);
const LENGTHS: ReadonlySet<number> = new Set([...KNOWN.keys()].map((name) => name.length));
const COLON = 0x3a;
const NO_BODY = { bytes: 0 };

/** No folded lines, no space before a colon, no line end but CR LF: whoever writes those may mean something else. */
const LINES = "(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\\t\\x20-\\x7e\\x80-\\xff]*\\r\\n)*";
const WHOLE_HEAD = new RegExp(`^HTTP/1\\.[01] [1-9]\\d\\d(?: [\\t\\x20-\\x7e\\x80-\\xff]*)?\\r\\n${LINES}$`);
const WHOLE_LINES = new RegExp(`^${LINES}$`);
/**
 * As they stand behind the colon. Node's parser, and all that are made of it, takes other blanks behind these values for
 * a part of them, and then sees another body.
 */
const LENGTH = /^[\t ]*\d{1,15} *$/;
const CHUNKED = /^[\t ]*chunked$/i;
const TIMEOUT = /(?:^|[\s,;])timeout=(\d{1,6})(?:$|[\s,;])/i;

/** From the text of a head, one character for each byte, up to the end of its last line. */
export function readAnswerHead(text: string): AnswerHead {
  if (!WHOLE_HEAD.test(text)) throw new MalformedAnswer('the head of the answer is no HTTP');
  const status = Number(text.slice(9, 12));
  // Every answer has all members, so that they all have one shape.
  const headers: AnswerHeaders = {
    'content-encoding': undefined,
    'content-length': undefined,
    'content-range': undefined,
    'content-type': undefined,
    date: undefined,
    'retry-after': undefined,
    'x-amzn-errortype': undefined,
  };
  const framing: Framing = { connection: undefined, 'keep-alive': undefined, 'transfer-encoding': undefined };
  for (let at = text.indexOf('\r\n') + 2; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const colon = colonFrom(text, at);
    const name = LENGTHS.has(colon - at) ? KNOWN.get(text.slice(at, colon).toLowerCase()) : undefined;
    if (name !== undefined) add({ headers, framing }, name, text.slice(colon + 1, end));
    at = end + 2;
  }
  const stated = statedBody(headers['content-length'], framing['transfer-encoding']);
  // Whether it comes all the same is not to be known, and the answer itself is still to come.
  if (status < 200 && !isNothing(stated)) throw new MalformedAnswer('a head before the answer states a body');
  const hasBody = status >= 200 && status !== 204 && status !== 304;
  return {
    status,
    headers,
    body: hasBody ? stated : NO_BODY,
    isKept: isKept(text.charCodeAt(7) === 0x31, framing) && (hasBody || isNothing(stated)),
    keptSeconds: framing['keep-alive'] === undefined ? null : keptSecondsOf(framing['keep-alive']),
  };
}

/** Headers that follow a body. Nobody reads them, but what is none ends the trust in the connection. */
export const areHeaderLines = (text: string): boolean => WHOLE_LINES.test(text);

/** The head has been checked: there is one. */
function colonFrom(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) !== COLON) at += 1;
  return at;
}

type Read = Readonly<{ headers: AnswerHeaders; framing: Framing }>;

/** What is stated twice becomes a list, as in HTTP; but how long a body is may be said once only. */
function add({ headers, framing }: Read, name: Name | FramingName, text: string): void {
  if (name === 'content-length' && (headers[name] !== undefined || !LENGTH.test(text))) {
    throw new MalformedAnswer('the length of the answer is no number');
  }
  if (name === 'transfer-encoding' && (framing[name] !== undefined || !CHUNKED.test(text))) {
    throw new MalformedAnswer('the transfer coding of the answer is unknown');
  }
  const value = withoutMargins(text);
  if (name === 'connection' || name === 'keep-alive' || name === 'transfer-encoding') {
    framing[name] = framing[name] === undefined ? value : `${framing[name]}, ${value}`;
  } else headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
}

function statedBody(length: string | undefined, coding: string | undefined): AnswerHead['body'] {
  if (coding === undefined) return length === undefined ? null : { bytes: Number(length) };
  if (length !== undefined) throw new MalformedAnswer('the answer states its length in two ways');
  return 'chunked';
}

/** An answer that must have no body says that it has none, or says nothing about it. */
const isNothing = (stated: AnswerHead['body']): boolean =>
  stated === null || (stated !== 'chunked' && stated.bytes === 0);

/** HTTP/1.0 knows no chunks, so whoever has passed them on may have misread them (RFC 9112, 6.1). */
function isKept(isModern: boolean, { connection, 'transfer-encoding': coding }: Framing): boolean {
  if (connection === undefined) return isModern;
  const wishes = connection.toLowerCase();
  if (wishes.includes('close')) return false;
  return isModern || (wishes.includes('keep-alive') && coding === undefined);
}

function keptSecondsOf(text: string): number | null {
  const stated = TIMEOUT.exec(text)?.[1];
  return stated === undefined ? null : Number(stated);
}
