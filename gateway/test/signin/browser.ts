// A visitor's browser: it keeps its cookies, says which site a change comes from, and follows no redirect by itself.

import type { Harness, Json } from '../harness.ts';

export type Page = Readonly<{ status: number; headers: Headers; body: Json; text: string; cookies: readonly string[] }>;

export class Browser {
  readonly #url: string;
  readonly #cookies = new Map<string, string>();
  /** Null: no Origin is sent. */
  origin: string | null;

  constructor({ url }: Pick<Harness, 'url'>, origin = url) {
    this.#url = url;
    this.origin = origin;
  }

  get cookieNames(): string[] {
    return [...this.#cookies.keys()];
  }

  cookie(name: string): string | undefined {
    return this.#cookies.get(name);
  }

  setCookie(name: string, value: string): void {
    this.#cookies.set(name, value);
  }

  /** With the cookies of another browser, as if stolen or shared. */
  static withCookiesOf(other: Browser, harness: Pick<Harness, 'url'>): Browser {
    const browser = new Browser(harness);
    for (const name of other.cookieNames) browser.setCookie(name, other.cookie(name) ?? '');
    return browser;
  }

  async request(
    method: string,
    path: string,
    body?: unknown,
    extraHeaders: Record<string, string> = {},
  ): Promise<Page> {
    const headers: Record<string, string> = {};
    const isChange = method !== 'GET' && method !== 'HEAD';
    if (isChange && this.origin !== null) headers.Origin = this.origin;
    if (this.#cookies.size > 0)
      headers.Cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const init: RequestInit = { method, redirect: 'manual', headers: { ...headers, ...extraHeaders } };
    if (body !== undefined) init.body = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await fetch(this.#url + path, init);
    const text = await response.text();
    const cookies = response.headers.getSetCookie();
    for (const cookie of cookies) this.#keep(cookie);
    return { status: response.status, headers: response.headers, text, body: parse(text), cookies };
  }

  get(path: string): Promise<Page> {
    return this.request('GET', path);
  }

  post(path: string, body: unknown = {}): Promise<Page> {
    return this.request('POST', path, body);
  }

  #keep(cookie: string): void {
    const [pair = '', ...attributes] = cookie.split('; ');
    const separator = pair.indexOf('=');
    const name = pair.slice(0, separator);
    if (attributes.includes('Max-Age=0')) this.#cookies.delete(name);
    else this.#cookies.set(name, pair.slice(separator + 1));
  }
}

function parse(text: string): Json {
  return text.startsWith('{') ? (JSON.parse(text) as Json) : {};
}
