// The arguments of calls as reviewers should read them: a letter that is written as an escape (`\u0068`) is that letter
// for whoever parses them, so it is put in its place before a rule looks at the text. Breaks between lines are breaks,
// too, and become escapes again where the text goes out. Inputs that are plain text are left alone.

import type { StreamDecoder, StreamPart } from '../canonical/stream-part.ts';

const TOKEN = /[^"\\\n\r\t]+|\\u[\da-fA-F]{4}|\\[^u]|["\n\r\t]/y;
/** An escape of which more may come. */
const OPEN_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const BREAK = /[\n\r\t]/g;
const LETTERS: Readonly<Record<string, string>> = { '\\n': '\n', '\\r': '\r', '\\t': '\t', '\\/': '/' };

/** Reads one call's arguments, in pieces. */
class ArgumentsReader {
  #waiting = '';
  #isInText = false;

  read(piece: string): string {
    const text = this.#waiting + piece;
    let readable = '';
    let place = 0;
    while (place < text.length) {
      TOKEN.lastIndex = place;
      const token = TOKEN.exec(text)?.[0];
      if (token === undefined && OPEN_ESCAPE.test(text.slice(place))) break;
      // What is no escape of JSON stays as it stands.
      readable += this.#lettersOf(token ?? '\\');
      place += token?.length ?? 1;
    }
    this.#waiting = text.slice(place);
    return readable;
  }

  end(): string {
    const left = this.#waiting;
    this.#waiting = '';
    return left;
  }

  #lettersOf(token: string): string {
    if (token === '"') this.#isInText = !this.#isInText;
    if (token.startsWith('\\u')) return letterOf(token);
    if (token.startsWith('\\')) return LETTERS[token] ?? token;
    // Outside of texts a break means nothing, and must not become an escape.
    return this.#isInText ? token : token.replace(BREAK, ' ');
  }
}

function letterOf(written: string): string {
  const letter = String.fromCharCode(Number.parseInt(written.slice(2), 16));
  if (letter === '"' || letter === '\\') return `\\${letter}`;
  return letter >= ' ' || LETTER_BREAKS.has(letter) ? letter : written;
}

const LETTER_BREAKS: ReadonlySet<string> = new Set(['\n', '\r', '\t']);

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
