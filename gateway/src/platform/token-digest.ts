// The digest of a bearer token, by which whatever belongs to it is found. A connection sends the same token with each of
// its calls, so it keeps the last one's digest beside the head that it remembers anyway; nothing else keeps tokens.

import { hash } from 'node:crypto';

/** All of the SHA-256: a part of it could let one token answer for another. */
export const digestOf = (token: string): string => hash('sha256', token, 'binary');

export class TokenDigest {
  #token = '';
  #digest = '';

  of(token: string): string {
    if (token !== this.#token || token === '') {
      this.#digest = digestOf(token);
      this.#token = token;
    }
    return this.#digest;
  }
}
