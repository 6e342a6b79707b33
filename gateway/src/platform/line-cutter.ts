// Cuts bytes into the lines of a JSON Lines file, wherever the chunks end: between the bytes of a character too. A line
// may be of any length, so who pushes looks at `restBytes` after each chunk.

const LINE_FEED = 0x0a;

export class LineCutter {
  /** The start of a line whose end has not come yet. */
  #rest: Buffer[] = [];
  #restBytes = 0;

  /** How many bytes wait for the end of their line. */
  get restBytes(): number {
    return this.#restBytes;
  }

  /** The lines that end in the chunk, empty ones included. It must be read to its end. */
  *push(chunk: Buffer): Generator<string> {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, start)) {
      yield this.#complete(chunk.subarray(start, end));
      start = end + 1;
    }
    if (start === chunk.length) return;
    this.#rest.push(chunk.subarray(start));
    this.#restBytes += chunk.length - start;
  }

  /** The last line, which needs no line feed; empty where there is none. */
  end(): string {
    return this.#complete(Buffer.alloc(0));
  }

  #complete(bytes: Buffer): string {
    if (this.#restBytes === 0) return bytes.toString('utf8');
    const line = Buffer.concat([...this.#rest, bytes]).toString('utf8');
    this.#rest = [];
    this.#restBytes = 0;
    return line;
  }
}
