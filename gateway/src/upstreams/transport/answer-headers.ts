// The headers of an answer that somebody here reads. Vendors send dozens, each its own, and an object of all of them
// costs a call more than the JSON of its answer does.

const NAMES = [
  ...(['content-encoding', 'content-length', 'content-range', 'content-type'] as const),
  ...(['date', 'retry-after', 'x-amzn-errortype'] as const),
] as const;

type Name = (typeof NAMES)[number];
export type AnswerHeaders = Partial<Record<Name, string | undefined>>;

const KNOWN: ReadonlyMap<string, Name> = new Map(NAMES.map((name) => [name, name]));
const LENGTHS: ReadonlySet<number> = new Set(NAMES.map((name) => name.length));

/** From names and values in turn. What is stated twice becomes a list, as in HTTP. */
export function readAnswerHeaders(stated: readonly Buffer[]): AnswerHeaders {
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
  for (let at = 0; at + 1 < stated.length; at += 2) {
    const nameBytes = stated[at] as Buffer;
    if (!LENGTHS.has(nameBytes.length)) continue;
    const name = KNOWN.get(nameBytes.toString('latin1').toLowerCase());
    if (name === undefined) continue;
    const value = (stated[at + 1] as Buffer).toString('latin1');
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}
