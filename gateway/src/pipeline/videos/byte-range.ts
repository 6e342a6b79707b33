// The part of a file that a client asks for (RFC 9110, section 14). Only one part is served: a client that asks for
// several gets the whole file, as the standard allows.

export type AskedRange =
  | Readonly<{ kind: 'whole' }>
  | Readonly<{ kind: 'from'; first: number; last: number | null }>
  | Readonly<{ kind: 'suffix'; length: number }>
  | Readonly<{ kind: 'invalid' }>;

/** Both `first` and `last` belong to the part. */
type ByteRange = Readonly<{ first: number; last: number }>;

const WHOLE: AskedRange = { kind: 'whole' };
const INVALID: AskedRange = { kind: 'invalid' };
/** No file has more bytes. An end that lies behind it is the end of the file. */
const BYTES_MAX = 999_999_999_999_999;
const ONE_RANGE = /^(\d{1,15})?-(\d+)?$/;

export function parseRange(header: string | undefined): AskedRange {
  const match = /^\s*bytes\s*=\s*(.*)$/i.exec(header ?? '');
  // An unknown unit is ignored, as the standard says.
  if (match === null) return WHOLE;
  const text = (match[1] ?? '').trim();
  if (text.includes(',')) return WHOLE;
  const [whole, first, last] = ONE_RANGE.exec(text) ?? [];
  if (whole === undefined) return INVALID;
  const bound = last === undefined ? null : Math.min(Number(last), BYTES_MAX);
  if (first === undefined) return bound === null || bound === 0 ? INVALID : { kind: 'suffix', length: bound };
  if (bound !== null && bound < Number(first)) return INVALID;
  return { kind: 'from', first: Number(first), last: bound };
}

/** The part of a file of this length; null when no byte of it lies in the file. */
export function rangeWithin(asked: AskedRange, length: number): ByteRange | null {
  if (length === 0) return null;
  switch (asked.kind) {
    case 'whole':
      return { first: 0, last: length - 1 };
    case 'suffix':
      return { first: Math.max(0, length - asked.length), last: length - 1 };
    case 'from':
      if (asked.first >= length) return null;
      return { first: asked.first, last: Math.min(asked.last ?? length - 1, length - 1) };
    case 'invalid':
      return null;
  }
}

export function rangeHeader(asked: AskedRange): string | null {
  switch (asked.kind) {
    case 'whole':
      return null;
    case 'suffix':
      return `bytes=-${asked.length}`;
    case 'from':
      return `bytes=${asked.first}-${asked.last ?? ''}`;
    case 'invalid':
      // Any part will do, because only the length of the file is wanted.
      return 'bytes=0-0';
  }
}

const CONTENT_RANGE = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15}|\*)$/;
const UNSATISFIED = /^bytes \*\/(\d{1,15})$/;

type SentRange = ByteRange & Readonly<{ length: number | null }>;

/** Null when the header contradicts itself or cannot be read. */
export function parseContentRange(header: string | undefined): SentRange | null {
  const [whole, first, last, total] = CONTENT_RANGE.exec(header ?? '') ?? [];
  if (whole === undefined) return null;
  const range = { first: Number(first), last: Number(last), length: total === '*' ? null : Number(total) };
  return range.first <= range.last && (range.length === null || range.last < range.length) ? range : null;
}

/** The length of the file, from a 416 answer; null when it does not say. */
export function unsatisfiedLength(header: string | undefined): number | null {
  const text = UNSATISFIED.exec(header ?? '')?.[1];
  return text === undefined ? null : Number(text);
}

/** Whether the upstream sent the part that was asked for. It may send less at the end, but nothing outside the part. */
export function isAnswerTo(asked: AskedRange, sent: SentRange): boolean {
  switch (asked.kind) {
    case 'whole':
    case 'invalid':
      return sent.first === 0;
    case 'from':
      return sent.first === asked.first && (asked.last === null || sent.last <= asked.last);
    case 'suffix':
      return sent.length !== null && sent.first === Math.max(0, sent.length - asked.length);
  }
}
