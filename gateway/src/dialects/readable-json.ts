// JSON in an answer as reviewers should read it, the arguments of calls and words that were asked to be JSON: a letter
// that is written as an escape (`\u0068`) is that letter for whoever parses it, so it is put in its place before a rule
// looks at the text. Breaks between lines are breaks, too, and become escapes again where the text goes out. Inputs that
// are plain text are left alone.

import { BACKSLASH, type Escape, INCOMPLETE, Letters, QUOTE, readEscape } from '../canonical/json-escapes.ts';
import type { StreamDecoder, StreamPart } from '../canonical/stream-part.ts';

/** Letters that would end a text or begin an escape, and those that are not seen, stay as they were written. */
const isKept = (code: number): boolean => code === QUOTE || code === BACKSLASH || (code < SPACE && !isBreak(code));
const SPACE = 0x20;
const isBreak = (code: number): boolean => code === 0x0a || code === 0x0d || code === 0x09;
const BREAK = /[\n\r\t]/g;
const TO_BE_READ = /[\\\n\r\t]/;
/** Stands for an escaped break in words, which may not be JSON after all and have breaks of their own. */
const FEED = 0x0c;
const NEW_LINE = 0x0a;

/** Reads one call's arguments, or one text, in pieces. */
class JsonReader {
  readonly #isWords: boolean;
  #waiting = '';
  #isInText = false;

  constructor(isWords: boolean) {
    this.#isWords = isWords;
  }

  read(piece: string): string {
    const text = this.#waiting + piece;
    this.#waiting = '';
    if (TO_BE_READ.test(text)) return this.#letters(text);
    for (let place = text.indexOf('"'); place !== -1; place = text.indexOf('"', place + 1)) {
      this.#isInText = !this.#isInText;
    }
    return text;
  }

  end(): string {
    const left = this.#waiting;
    this.#waiting = '';
    return left;
  }

  #letters(text: string): string {
    const letters = new Letters(text.length);
    const found: Escape = { code: 0, length: 0 };
    let place = 0;
    while (place < text.length) {
      const code = text.charCodeAt(place);
      if (code === BACKSLASH) {
        readEscape(text, place, found);
        if (found.code === INCOMPLETE) break;
        const letter = this.#letterOf(found.code);
        if (letter !== null) letters.add(letter);
        else for (let at = place; at < place + found.length; at += 1) letters.add(text.charCodeAt(at));
        place += found.length;
        continue;
      }
      if (code === QUOTE) this.#isInText = !this.#isInText;
      // Outside of texts a break means nothing, and must not become an escape.
      letters.add(isBreak(code) && !this.#isInText && !this.#isWords ? SPACE : code);
      place += 1;
    }
    this.#waiting = text.slice(place);
    return letters.text;
  }

  /** Null where it stays an escape. */
  #letterOf(code: number): number | null {
    if (isKept(code)) return null;
    if (!this.#isWords || !isBreak(code)) return code;
    return code === NEW_LINE ? FEED : null;
  }
}

/** For reviewers. */
export function readableJson(text: string, isWords = false): string {
  const reader = new JsonReader(isWords);
  return reader.read(text) + reader.end();
}

/** For parsers: texts of JSON have no breaks. */
export const writableJson = (text: string, isWords = false): string =>
  isWords ? text.replaceAll('\f', '\\n') : text.replace(BREAK, (letter) => JSON.stringify(letter).slice(1, -1));

type JsonPart = Extract<StreamPart, { type: 'tool-input-delta' | 'text-delta' }>;

/** Parts that were read keep their mark where their text is replaced, until they are made writable. */
export function withReadableJson(decoder: StreamDecoder, hasJsonWords: boolean): StreamDecoder {
  const inputs = new Map<number, JsonReader>();
  const words = hasJsonWords ? new JsonReader(true) : null;
  const readerOf = (part: StreamPart): JsonReader | null => {
    if (part.type === 'text-delta' || part.type === 'text-end') return words;
    return 'index' in part ? (inputs.get(part.index) ?? null) : null;
  };
  const partsOf = (like: JsonPart, text: string): readonly StreamPart[] => {
    const readable = { ...like, text, isReadable: true };
    return text === '' ? [] : [readable];
  };
  const read = (part: StreamPart): readonly StreamPart[] => {
    if (part.type === 'tool-input-start') {
      if (part.isPlain === true) inputs.delete(part.index);
      else inputs.set(part.index, new JsonReader(false));
    }
    const reader = readerOf(part);
    if (reader === null) return [part];
    switch (part.type) {
      case 'text-delta':
      case 'tool-input-delta':
        return partsOf(part, reader.read(part.text));
      case 'text-end':
        return [...partsOf({ type: 'text-delta', text: '' }, reader.end()), part];
      case 'tool-input-end':
        return [...partsOf({ type: 'tool-input-delta', index: part.index, text: '' }, reader.end()), part];
      default:
        return [part];
    }
  };
  return {
    get keptBytes() {
      return decoder.keptBytes;
    },
    push: (chunk) => decoder.push(chunk).flatMap(read),
    end: () => decoder.end().flatMap(read),
  };
}

export function writable(part: StreamPart): StreamPart {
  if (!('isReadable' in part && 'text' in part)) return part;
  const { isReadable: _mark, ...plain } = part;
  return { ...plain, text: writableJson(part.text, part.type === 'text-delta') };
}
