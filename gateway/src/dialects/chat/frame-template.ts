// Frames of one stream differ only in their delta. Once a frame's surroundings are known, later frames with the same
// ones are rewritten by replacing text, without parsing. A template is adopted only after the text it produces has
// been parsed and found equal to the frame rewritten the slow way.

import { isJsonObject, type JsonObject } from '../../canonical/json.ts';
import { textBytes } from './delta-text.ts';

const ID_MEMBER = /"id":\s*"(?:[^"\\]|\\.)*"/;
const MODEL_MEMBER = /"model":\s*"(?:[^"\\]|\\.)*"/;
const NO_USAGE_MEMBER = /,\s*"usage":\s*null/;
const NO_FINGERPRINT_MEMBER = /,\s*"system_fingerprint":\s*null/;
const PROVIDER_MEMBER = /"provider":\s*(?:"(?:[^"\\]|\\.)*"|null)\s*,/;

type TemplateParts = Readonly<{
  prefix: string;
  suffix: string;
  prefixOut: string;
  suffixOut: string;
  deltaOverheadBytes: number;
}>;

export class FrameTemplate {
  readonly prefix: string;
  readonly suffix: string;
  readonly prefixOut: string;
  /** Includes the blank line that ends the frame. */
  readonly suffixOut: string;
  /** The JSON around the text of a delta, as in the frame that the template was learnt from. */
  readonly deltaOverheadBytes: number;
  readonly #lengthMin: number;

  constructor(parts: TemplateParts) {
    this.deltaOverheadBytes = parts.deltaOverheadBytes;
    this.prefix = parts.prefix;
    this.suffix = parts.suffix;
    this.prefixOut = parts.prefixOut;
    this.suffixOut = `${parts.suffixOut}\n\n`;
    this.#lengthMin = parts.prefix.length + parts.suffix.length;
  }

  /**
   * The delta of the frame at `start` (blank line at `end`), where a known prefix and the known suffix surround it. Slices
   * are compared because V8 compares whole strings at memory speed, while `startsWith` goes character by character.
   */
  deltaIn(text: string, start: number, end: number): string | null {
    const deltaStart = start + this.prefix.length;
    const deltaEnd = end - this.suffix.length;
    const isKnown =
      end - start >= this.#lengthMin &&
      text.slice(start, deltaStart) === this.prefix &&
      text.slice(deltaEnd, end) === this.suffix;
    return isKnown ? text.slice(deltaStart, deltaEnd) : null;
  }
}

/** Null when the frame's shape does not allow it, for example because a member to replace is missing. */
export function learnTemplate(frame: string, rewritten: JsonObject): FrameTemplate | null {
  if (!frame.startsWith('data: {') || frame.includes('\n')) return null;
  // An unescaped `"delta":` is always a key: inside a string its quotes would carry backslashes.
  const key = frame.indexOf('"delta":');
  if (key === -1) return null;
  const deltaStart = frame.indexOf('{', key);
  const deltaEnd = deltaStart === -1 ? -1 : objectEnd(frame, deltaStart);
  if (deltaEnd === -1) return null;
  const replace = (part: string): string =>
    part
      .replace(ID_MEMBER, `"id":${JSON.stringify(rewritten.id)}`)
      .replace(MODEL_MEMBER, `"model":${JSON.stringify(rewritten.model)}`)
      .replace(PROVIDER_MEMBER, '')
      .replace(NO_USAGE_MEMBER, '')
      .replace(NO_FINGERPRINT_MEMBER, '');
  const prefix = frame.slice(0, deltaStart);
  const suffix = frame.slice(deltaEnd);
  const template = new FrameTemplate({
    prefix,
    suffix,
    prefixOut: replace(prefix),
    suffixOut: replace(suffix),
    deltaOverheadBytes: Math.max(0, deltaEnd - deltaStart - textBytes(deltaOf(rewritten))),
  });
  const produced = template.prefixOut + frame.slice(deltaStart, deltaEnd) + template.suffixOut;
  return isSameJson(produced.slice('data: '.length), rewritten) ? template : null;
}

function deltaOf({ choices }: JsonObject): unknown {
  const [choice]: unknown[] = Array.isArray(choices) ? choices : [];
  return isJsonObject(choice) ? choice.delta : undefined;
}

function isSameJson(latin1: string, expected: JsonObject): boolean {
  try {
    return JSON.stringify(JSON.parse(Buffer.from(latin1, 'latin1').toString('utf8'))) === JSON.stringify(expected);
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}

/** The position just after the object that opens at `start`; -1 when it does not close. */
function objectEnd(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let position = start; position < text.length; position += 1) {
    const character = text.charCodeAt(position);
    if (isInString) {
      if (character === 0x5c) position += 1;
      else if (character === 0x22) isInString = false;
    } else if (character === 0x22) isInString = true;
    else if (character === 0x7b) depth += 1;
    else if (character === 0x7d) {
      depth -= 1;
      if (depth === 0) return position + 1;
    }
  }
  return -1;
}
