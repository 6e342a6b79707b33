// The lines of a head. Most heads differ from the one before in an id or two, so a line that is still the same is
// neither checked nor written again.

export class HeaderLines {
  readonly #lineOf: (name: string, value: string) => string;
  readonly #names: string[] = [];
  readonly #values: string[] = [];
  readonly #lines: string[] = [];

  /** `lineOf` throws for what cannot be sent. */
  constructor(lineOf: (name: string, value: string) => string) {
    this.#lineOf = lineOf;
  }

  /** `headers` are names and values in turn. */
  write(headers: readonly string[]): string {
    let written = '';
    for (let at = 0; at + 1 < headers.length; at += 2) {
      const place = at >> 1;
      const name = headers[at] as string;
      const value = headers[at + 1] as string;
      if (this.#names[place] !== name || this.#values[place] !== value) {
        this.#lines[place] = this.#lineOf(name, value);
        this.#names[place] = name;
        this.#values[place] = value;
      }
      written += this.#lines[place];
    }
    return written;
  }
}
