// The arguments of calls as reviewers should read them: a letter that is written as an escape (`\u0068`) is that letter
// for whoever parses them, so it is put in its place before a rule looks at the text. Breaks between lines are breaks,
// too, and become escapes again where the text goes out. Inputs that are plain text are left alone.

import { BACKSLASH, type Escape, INCOMPLETE, Letters, QUOTE, readEscape } from '../canonical/json-escapes.ts';
import type { StreamDecoder, StreamPart } from '../canonical/stream-part.ts';

/** Letters that would end a text or begin an escape, and those that are not seen, stay as they were written. */
const isKept = (code: number): boolean => code === QUOTE || code === BACKSLASH || (code < SPACE && !isBreak(code));
const SPACE = 0x20;
const isBreak = (code: number): boolean => code === 0x0a || code === 0x0d || code === 0x09;
const BREAK = /[\n\r\t]/g;
const TO_BE_READ = /[\\\n\r\t]/;

/** Reads one call's arguments, in pieces. */
class ArgumentsReader {
  #waiting = '';
  #isInText = false;

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
        if (!isKept(found.code)) letters.add(found.code);
        else for (let at = place; at < place + found.length; at += 1) letters.add(text.charCodeAt(at));
        place += found.length;
        continue;
      }
      if (code === QUOTE) this.#isInText = !this.#isInText;
      // Outside of texts a break means nothing, and must not become an escape.
      letters.add(isBreak(code) && !this.#isInText ? SPACE : code);
      place += 1;
    }
    this.#waiting = text.slice(place);
    return letters.text;
  }
}

/** For reviewers. */
export function readableJson(text: string): string {
  const reader = new ArgumentsReader();
  return reader.read(text) + reader.end();
}

/** For parsers: texts of JSON have no breaks. */
export const writableJson = (text: string): string =>
  text.replace(BREAK, (letter) => JSON.stringify(letter).slice(1, -1));

type ReadablePart = Extract<StreamPart, { type: 'tool-input-delta' }> & Readonly<{ isReadable: true }>;

/** Such a part keeps its mark where its text is replaced, until it is made writable. */
export function withReadableInputs(decoder: StreamDecoder): StreamDecoder {
  const readers = new Map<number, ArgumentsReader>();
  const partsOf = (index: number, text: string): readonly ReadablePart[] =>
    text === '' ? [] : [{ type: 'tool-input-delta', index, text, isReadable: true }];
  const read = (part: StreamPart): readonly StreamPart[] => {
    if (part.type === 'tool-input-start') {
      if (part.isPlain === true) readers.delete(part.index);
      else readers.set(part.index, new ArgumentsReader());
    }
    const reader = 'index' in part ? readers.get(part.index) : undefined;
    if (reader === undefined || !('index' in part)) return [part];
    if (part.type === 'tool-input-delta') return partsOf(part.index, reader.read(part.text));
    return part.type === 'tool-input-end' ? [...partsOf(part.index, reader.end()), part] : [part];
  };
  return {
    get keptBytes() {
      return decoder.keptBytes;
    },
    push: (chunk) => decoder.push(chunk).flatMap(read),
    end: () => decoder.end().flatMap(read),
  };
}

export const writable = (part: StreamPart): StreamPart =>
  'isReadable' in part && part.type === 'tool-input-delta'
    ? { type: part.type, index: part.index, text: writableJson(part.text) }
    : part;
