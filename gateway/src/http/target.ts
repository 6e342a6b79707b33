// Turns the raw request target into a path, once; every later decision uses the result. Targets that two servers could
// read differently (`//`, dot segments, backslashes, encoded letters in a literal segment) are refused and not
// corrected.

const SLASH = 0x2f;
const PERCENT = 0x25;
const HASH = 0x23;
const BACKSLASH = 0x5c;
const DOT = 0x2e;

/**
 * The path to route by, without its query, or null when the target is refused. `/api/v1/x` and `/v1/v1/x` become
 * `/v1/x`: the legacy host's prefix, and what a client makes of a base URL that already ends in `/v1`.
 */
export function normalizePath(rawPath: string): string | null {
  if (rawPath.charCodeAt(0) !== SLASH) return null;
  let isEncoded = false;
  let previous = 0;
  for (let index = 0; index < rawPath.length; index++) {
    const code = rawPath.charCodeAt(index);
    if (code <= 0x20 || code >= 0x7f || code === BACKSLASH || code === HASH) return null;
    if (previous === SLASH && (code === SLASH || (code === DOT && isDotSegment(rawPath, index)))) return null;
    if (code === PERCENT) isEncoded = true;
    previous = code;
  }
  if (isEncoded && !isCleanlyEncoded(rawPath)) return null;
  let path = rawPath;
  if (path.startsWith('/api/v1/')) path = path.slice('/api'.length);
  if (path.startsWith('/v1/v1/')) path = path.slice('/v1'.length);
  return path;
}

/** The parameter that contains a NUL, which no valid value has and the database cannot store; null when none does. */
export function parameterWithNul(queryText: string): string | null {
  if (!queryText.includes('%00')) return null;
  return /(?:^|&)(\w{1,64})=[^&]*%00/.exec(queryText)?.[1] ?? 'query';
}

function isDotSegment(path: string, start: number): boolean {
  const end = path.charCodeAt(start + 1) === DOT ? start + 2 : start + 1;
  return end === path.length || path.charCodeAt(end) === SLASH;
}

/** Only targets with a percent sign come here. */
function isCleanlyEncoded(path: string): boolean {
  for (const segment of path.split('/')) {
    const decoded = decodeSegment(segment);
    if (decoded === null || decoded === '.' || decoded === '..') return false;
    for (let index = 0; index < decoded.length; index++) {
      const code = decoded.charCodeAt(index);
      if (code < 0x20 || code === 0x7f || code === BACKSLASH) return false;
    }
  }
  return true;
}

function decodeSegment(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** The router decodes before it compares, so an encoded letter would match a literal segment; this refuses it. */
export function matchesLiterally(path: string, pattern: string): boolean {
  const segments = path.split('/');
  return pattern
    .split('/')
    .every((part, index) => part.startsWith(':') || part.startsWith('*') || part === segments[index]);
}
