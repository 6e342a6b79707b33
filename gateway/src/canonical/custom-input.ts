// Takes the plain text of a custom tool's input out of a function's arguments as they come: `{"input":"…"}`, in pieces.
// Arguments of another form are known only when all have come.

import { customInput } from './custom-tools.ts';
import { BACKSLASH, type Escape, INCOMPLETE, Letters, QUOTE, readEscape } from './json-escapes.ts';

const HEAD = /^\s*\{\s*"input"\s*:\s*"/;
const SPARE_HEAD = '{"input":"';
/** What stands before the text has no more spaces than this. */
const HEAD_LENGTH_MAX = 256;

export class CustomInputReader {
  /** What has come and was not read. */
  #waiting = '';
  #state: 'before' | 'within' | 'after' | 'other' = 'before';

  get keptLength(): number {
    return this.#waiting.length;
  }

  push(text: string): string {
    if (this.#state === 'after') return '';
    this.#waiting += text;
    if (this.#state === 'before') this.#enter();
    return this.#state === 'within' ? this.#read() : '';
  }

  /** The rest: no more will come. */
  end(): string {
    const isRead = this.#state === 'within' || this.#state === 'after';
    return isRead ? '' : customInput(this.#waiting);
  }

  #enter(): void {
    const head = HEAD.exec(this.#waiting);
    if (head !== null) {
      this.#state = 'within';
      this.#waiting = this.#waiting.slice(head[0].length);
    } else if (this.#waiting.length > HEAD_LENGTH_MAX || !SPARE_HEAD.startsWith(this.#waiting.replaceAll(/\s/g, ''))) {
      this.#state = 'other';
    }
  }

  #read(): string {
    const text = this.#waiting;
    const letters = new Letters(text.length);
    const found: Escape = { code: 0, length: 0 };
    let place = 0;
    let last = 0;
    while (place < text.length) {
      const code = text.charCodeAt(place);
      if (code === QUOTE) {
        this.#state = 'after';
        break;
      }
      if (code === BACKSLASH) readEscape(text, place, found);
      else {
        found.code = code;
        found.length = 1;
      }
      if (found.code === INCOMPLETE) break;
      last = found.code;
      letters.add(last);
      place += found.length;
    }
    const read = letters.text;
    const isOver = this.#state === 'after';
    // Half of a pair is no letter yet.
    const half = !isOver && isHighSurrogate(last) && read !== '' ? read.slice(-1) : '';
    this.#waiting = isOver ? '' : half + text.slice(place);
    return half === '' ? read : read.slice(0, -1);
  }
}

const isHighSurrogate = (code: number): boolean => code >= 0xd800 && code <= 0xdbff;
