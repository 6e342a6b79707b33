// How a call gets what makes it the gateway's own, at the last moment before it is sent. Where that is a token, all calls
// share the one at hand; when it runs out, one of them has it renewed and the others wait for that.

import type { CallToSign, TokenGrant } from '../protocol.ts';
import { AuthorizationError } from '../protocol.ts';
import { readJsonObject } from '../read-json-object.ts';

export type CallAuthorization = Readonly<{
  /** Headers to add, names and values in turn. */
  sign(call: CallToSign, token: string): readonly string[] | Promise<readonly string[]>;
  grant: TokenGrant | null;
}>;

export type TokenAnswer = Readonly<{ status: number; body: Buffer }>;

/** Posts a form and collects what comes; rejects with what went wrong on the way. */
type PostForm = (url: string, form: string) => Promise<TokenAnswer>;

type Token = Readonly<{ value: string; endsAtMs: number }>;

/** A token that ends while the call is on its way is of no use. */
const EARLY_MS = 60_000;
const LIFETIME_SECONDS_DEFAULT = 3_600;
const LIFETIME_SECONDS_MAX = 86_400;
const TOKENS_MAX = 1_000;
const VISIBLE = /^[\x21-\x7e]{1,16384}$/;

export class Tokens {
  readonly #post: PostForm;
  readonly #nowMs: () => number;
  readonly #tokens = new Map<string, Token>();
  readonly #waiting = new Map<string, Promise<string>>();

  constructor(post: PostForm, nowMs: () => number) {
    this.#post = post;
    this.#nowMs = nowMs;
  }

  /** Null when there is none that will last. */
  atHand({ identity }: TokenGrant): string | null {
    const token = this.#tokens.get(identity);
    return token !== undefined && token.endsAtMs > this.#nowMs() ? token.value : null;
  }

  /** Whoever asks while it is on its way waits for the same one. */
  obtain(grant: TokenGrant): Promise<string> {
    const { identity } = grant;
    const waiting = this.#waiting.get(identity);
    if (waiting !== undefined) return waiting;
    const obtained = this.#ask(grant).finally(() => this.#waiting.delete(identity));
    this.#waiting.set(identity, obtained);
    return obtained;
  }

  /** It was refused. Only the very one is dropped: another may have come meanwhile. */
  drop({ identity }: TokenGrant, refused: string): void {
    if (this.#tokens.get(identity)?.value === refused) this.#tokens.delete(identity);
  }

  async #ask(grant: TokenGrant): Promise<string> {
    const nowMs = this.#nowMs();
    const { url, body } = await grant.request(nowMs);
    const token = readToken(await this.#post(url, body), nowMs);
    if (this.#tokens.size >= TOKENS_MAX) this.#dropOldest();
    this.#tokens.set(grant.identity, token);
    return token.value;
  }

  #dropOldest(): void {
    const [oldest] = this.#tokens.keys();
    if (oldest !== undefined) this.#tokens.delete(oldest);
  }
}

function readToken({ status, body }: TokenAnswer, nowMs: number): Token {
  const json = readJsonObject(body);
  if (status !== 200) {
    const word = typeof json?.error === 'string' ? json.error.slice(0, 50) : 'no reason';
    throw new AuthorizationError(`the token was refused: ${status} ${word}`);
  }
  const { access_token: value, expires_in: seconds } = json ?? {};
  if (typeof value !== 'string' || !VISIBLE.test(value)) throw new AuthorizationError('an answer without a token');
  const isLifetime = typeof seconds === 'number' && seconds >= 0;
  const lifetimeMs = Math.min(isLifetime ? seconds : LIFETIME_SECONDS_DEFAULT, LIFETIME_SECONDS_MAX) * 1_000;
  // One that hardly lasts is good for the calls that wait for it.
  return { value, endsAtMs: nowMs + Math.max(lifetimeMs - EARLY_MS, 0) };
}
