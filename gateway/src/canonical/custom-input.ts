// Takes the plain text of a custom tool's input out of a function's arguments as they come: `{"input":"…"}`, in pieces.
// Arguments of another form are known only when all have come.

import { customInput } from './custom-tools.ts';

const HEAD = /^\s*\{\s*"input"\s*:\s*"/;
const SPARE_HEAD = '{"input":"';
const TOKEN = /[^"\\]+|\\u[\da-fA-F]{4}|\\["\\/bfnrt]|"/y;
/** An escape of which more may come. */
const OPEN_ESCAPE = /^\\(?:u[\da-fA-F]{0,3})?$/;
const HIGH_SURROGATE_END = /[\ud800-\udbff]$/;

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
    } else if (!SPARE_HEAD.startsWith(this.#waiting.replaceAll(/\s/g, ''))) this.#state = 'other';
  }

  #read(): string {
    const text = this.#waiting;
    let read = '';
    let place = 0;
    while (place < text.length) {
      TOKEN.lastIndex = place;
      const token = TOKEN.exec(text)?.[0];
      if (token === undefined && OPEN_ESCAPE.test(text.slice(place))) break;
      place += token?.length ?? 1;
      if (token === '"') {
        this.#state = 'after';
        this.#waiting = '';
        return read;
      }
      // What is no escape of JSON is taken as it stands.
      read += token?.startsWith('\\') === true ? JSON.parse(`"${token}"`) : (token ?? '\\');
    }
    // Half of a pair is no letter yet.
    const half = HIGH_SURROGATE_END.exec(read)?.[0] ?? '';
    this.#waiting = half + text.slice(place);
    return half === '' ? read : read.slice(0, -1);
  }
}
