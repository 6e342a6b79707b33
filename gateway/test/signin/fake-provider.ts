// Another site where people have accounts, as far as signing in goes: it gives codes, exchanges each once for the
// client that began, and shows the profile that a test gives it.

import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Account = Readonly<{ id: number; email: string; isVerified: boolean; name: string | null }>;

type Grant = Readonly<{ account: Account; challenge: string; redirectUri: string }>;

export class FakeProvider {
  account: Account = { id: 1, email: 'a@example.test', isVerified: true, name: 'Ann' };
  /** What the token endpoint answers instead of a token. */
  failure: Readonly<{ status: number; body: unknown }> | null = null;
  readonly #server: Server;
  readonly #codes = new Map<string, Grant>();
  readonly #tokens = new Map<string, Account>();
  readonly seen: { authorizations: URL[]; secrets: (string | null)[] } = { authorizations: [], secrets: [] };

  constructor() {
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** The person agrees: where their browser is sent with the code. */
  agree(authorizeUrl: string): string {
    const url = new URL(authorizeUrl);
    this.seen.authorizations.push(url);
    const redirectUri = url.searchParams.get('redirect_uri') ?? '';
    const code = randomBytes(8).toString('hex');
    const challenge = url.searchParams.get('code_challenge') ?? '';
    this.#codes.set(code, { account: this.account, challenge, redirectUri });
    const back = new URL(redirectUri);
    back.searchParams.set('code', code);
    back.searchParams.set('state', url.searchParams.get('state') ?? '');
    return back.pathname + back.search;
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status, body } = this.#handle(request, new URLSearchParams(Buffer.concat(chunks).toString()));
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }

  #handle(request: IncomingMessage, form: URLSearchParams): Readonly<{ status: number; body: unknown }> {
    const path = request.url ?? '';
    if (path === '/login/oauth/access_token' || path === '/token') return this.failure ?? this.#exchange(form);
    const account = this.#tokens.get(request.headers.authorization?.replace('Bearer ', '') ?? '');
    if (account === undefined) return { status: 401, body: {} };
    const { id, email, isVerified, name } = account;
    switch (path) {
      case '/user':
        return { status: 200, body: { id, login: 'ann', name } };
      case '/user/emails':
        return {
          status: 200,
          body: [
            { email: 'old@example.test', primary: false, verified: true },
            { email, primary: true, verified: isVerified },
          ],
        };
      case '/v1/userinfo':
        return { status: 200, body: { sub: String(id), email, email_verified: isVerified, name } };
      default:
        return { status: 404, body: {} };
    }
  }

  #exchange(form: URLSearchParams): Readonly<{ status: number; body: unknown }> {
    const code = form.get('code') ?? '';
    const grant = this.#codes.get(code);
    this.#codes.delete(code);
    this.seen.secrets.push(form.get('client_secret'));
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (grant === undefined || grant.challenge !== challenge || grant.redirectUri !== form.get('redirect_uri')) {
      return { status: 200, body: { error: 'bad_verification_code' } };
    }
    const token = randomBytes(8).toString('hex');
    this.#tokens.set(token, grant.account);
    return { status: 200, body: { access_token: token, token_type: 'bearer' } };
  }
}
