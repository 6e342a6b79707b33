// Secrets of machines: keys with the shape of a known vendor, words that announce a key, and private keys in PEM form.
// Shapes are data (catalog/guardrails/api-keys.json), because vendors come and change.

import { findAll, type Template, type TextRange } from './template.ts';

export type ApiKeyShapes = readonly string[];

/** A name that announces a secret, and a value that looks random enough to be one. */
const ANNOUNCED =
  /(?<![A-Za-z0-9])(?:api[_-]?key|apikey|secret[_-]?key|access[_-]?token|auth[_-]?token|client[_-]?secret|password)["']?\s{0,3}[:=]\s{0,3}["']?[A-Za-z0-9_\-/+=.]{20,200}/gi;

export function createApiKeyTemplate(shapes: ApiKeyShapes): Template {
  const shape = new RegExp(`(?<![A-Za-z0-9_-])(?:${shapes.join('|')})(?![A-Za-z0-9])`, 'g');
  return { find: (text) => [...findAll(text, shape), ...findAll(text, ANNOUNCED, isRandom)] };
}

/** A password in a manual is a word; a real one mixes letters and digits. */
function isRandom(match: string): boolean {
  const value = match.slice(Math.max(match.indexOf(':'), match.indexOf('=')) + 1).replace(/["'\s]/g, '');
  return /\d/.test(value) && /[A-Za-z]/.test(value) && new Set(value).size >= 10;
}

const BEGIN = /-----BEGIN (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/g;
const END_MARK = '-----END ';
const END = /-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----/y;
/** The body of a key whose end is missing: lines of base64, written out or escaped. */
const BODY = /(?:[A-Za-z0-9+/=\s:,-]|\\[nr]){0,16384}/y;

/** The largest keys in use take about twelve thousand characters. */
const REACH = 16_384;

export const privateKey: Template = {
  reach: REACH,
  hint: /PRIVATE KEY/,
  find(text) {
    const found: TextRange[] = [];
    /** The next end of a key, which serves every beginning before it; null when there is none left. */
    let next: TextRange | null = { start: -1, end: 0 };
    BEGIN.lastIndex = 0;
    for (let begin = BEGIN.exec(text); begin !== null; begin = BEGIN.exec(text)) {
      const body = begin.index + begin[0].length;
      if (next !== null && next.start < body) next = findEnd(text, body);
      const end = next !== null && next.start < body + REACH ? next.end : endOfBody(text, body);
      found.push({ start: begin.index, end });
      BEGIN.lastIndex = end;
    }
    return found;
  },
};

function findEnd(text: string, from: number): TextRange | null {
  for (let start = text.indexOf(END_MARK, from); start !== -1; start = text.indexOf(END_MARK, start + 1)) {
    END.lastIndex = start;
    const [mark] = END.exec(text) ?? [];
    if (mark !== undefined) return { start, end: start + mark.length };
  }
  return null;
}

function endOfBody(text: string, from: number): number {
  BODY.lastIndex = from;
  return from + (BODY.exec(text)?.[0].length ?? 0);
}
