// Authorizes a call just before it is sent. Where a token is needed, all calls share the current one; when it runs out,
// one call renews it and the others wait.

import type { Clock } from '../../platform/clock.ts';
import { LoadingCache } from '../../platform/loading-cache.ts';
import { readJsonObject } from '../../platform/read-json-object.ts';
import type { CallToSign, TokenGrant } from '../protocol.ts';
import { AuthorizationError } from '../protocol.ts';

export type CallAuthorization = Readonly<{
  /** Headers to add, names and values in turn. */
  sign(call: CallToSign, token: string): readonly string[] | Promise<readonly string[]>;
  grant: TokenGrant | null;
}>;

export type TokenAnswer = Readonly<{ status: number; body: Buffer }>;

/** Posts a form and collects the answer; rejects with what went wrong. */
type PostForm = (url: string, form: string) => Promise<TokenAnswer>;

type Token = Readonly<{ value: string; usableMs: number }>;

/** A token that expires while the call is on its way is of no use. */
const EARLY_MS = 60_000;
const LIFETIME_SECONDS_DEFAULT = 3_600;
const LIFETIME_SECONDS_MAX = 86_400;
const TOKENS_MAX = 1_000;
const VISIBLE = /^[\x21-\x7e]{1,16384}$/;

export class Tokens {
  readonly #post: PostForm;
  readonly #clock: Clock;
  readonly #tokens: LoadingCache<Token>;

  constructor(post: PostForm, clock: Clock) {
    this.#post = post;
    this.#clock = clock;
    this.#tokens = new LoadingCache<Token>({ clock, sizeMax: TOKENS_MAX, ageMaxMs: ({ usableMs }) => usableMs });
  }

  /** Null when there is none that lasts long enough. */
  atHand({ identity }: TokenGrant): string | null {
    return this.#tokens.get(identity)?.value ?? null;
  }

  /** A second call waits for the same renewal. */
  async obtain(grant: TokenGrant): Promise<string> {
    return (await this.#tokens.find(grant.identity, () => this.#ask(grant))).value;
  }

  /** The token was refused. Only that one is dropped, because a new one may have come meanwhile. */
  drop({ identity }: TokenGrant, refused: string): void {
    if (this.#tokens.get(identity)?.value === refused) this.#tokens.forget(identity);
  }

  async #ask(grant: TokenGrant): Promise<Token> {
    const { url, body } = await grant.request(this.#clock.nowMs());
    return readToken(await this.#post(url, body));
  }
}

function readToken({ status, body }: TokenAnswer): Token {
  const json = readJsonObject(body);
  if (status !== 200) {
    const word = typeof json?.error === 'string' ? json.error.slice(0, 50) : 'no reason';
    throw new AuthorizationError(`the token was refused: ${status} ${word}`);
  }
  const { access_token: value, expires_in: seconds } = json ?? {};
  if (typeof value !== 'string' || !VISIBLE.test(value)) throw new AuthorizationError('an answer without a token');
  const isLifetime = typeof seconds === 'number' && seconds >= 0;
  const lifetimeMs = Math.min(isLifetime ? seconds : LIFETIME_SECONDS_DEFAULT, LIFETIME_SECONDS_MAX) * 1_000;
  // A token that hardly lasts is used for the calls that wait for it.
  return { value, usableMs: Math.max(lifetimeMs - EARLY_MS, 0) };
}
