// Describes what is wrong with a config document so that an operator finds the place: `models.a/b.routes[0].provider:
// ...`. Model ids contain dots and slashes, so paths are lists of keys until they are printed.

import { isJsonObject } from '../../canonical/json.ts';

export type PathSegment = string | number;

export class ConfigDocumentError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.name = 'ConfigDocumentError';
    this.problems = problems;
  }
}

export function formatPath(path: readonly PathSegment[]): string {
  let text = '';
  for (const segment of path) {
    if (typeof segment === 'number') text += `[${segment}]`;
    else text += text === '' ? printable(segment) : `.${printable(segment)}`;
  }
  return text === '' ? 'document' : text;
}

export const problemAt = (path: readonly PathSegment[], message: string): string => `${formatPath(path)}: ${message}`;

/** A JSON pointer as validators give it; only the document tells whether `0` is an index or a key. */
export function pathOfPointer(pointer: string, document: unknown): PathSegment[] {
  const path: PathSegment[] = [];
  let value: unknown = document;
  for (const escaped of pointer.split('/').slice(1)) {
    const key = escaped.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(value)) {
      path.push(Number(key));
      value = value[Number(key)];
    } else {
      path.push(key);
      value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
    }
  }
  return path;
}

/** Names come from outside: control characters must not reach a terminal or a log, and a long name is cut. */
export function printable(text: string): string {
  const short = text.length > 100 ? `${text.slice(0, 100)}...` : text;
  return asciiOf(JSON.stringify(short).slice(1, -1));
}

/**
 * JSON text as ASCII, because characters that JSON leaves as they are can still move a cursor or change the writing
 * direction.
 */
export function asciiOf(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** `, did you mean "models"?` where one of the known names is at most two typing errors away, else nothing. */
export function suggestion(name: string, known: Iterable<string>): string {
  let best: string | null = null;
  let bestDistance = Math.min(2, Math.floor(name.length / 2));
  for (const candidate of known) {
    const distance = editDistance(name, candidate, bestDistance);
    if (distance > bestDistance || (distance === bestDistance && best !== null)) continue;
    best = candidate;
    bestDistance = distance;
  }
  return best === null ? '' : `, did you mean "${best}"?`;
}

/** The Levenshtein distance, or any number above `limit` once it is certain to be above. */
function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit) return limit + 1;
  let previous = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const replaced = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[right.length] ?? 0;
}
