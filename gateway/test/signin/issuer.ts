// A real OpenID Connect issuer on this machine, with people whom a test names, and a visitor's browser that goes there
// and returns with the issuer's answer.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export type Claims = Readonly<Record<string, unknown>>;

export class TestIssuer {
  readonly url: string;
  readonly clientSecret = 'issuer-client-secret-0123456789';
  readonly clientId = 'tollgate';
  /** By subject; a removed person is no longer known. */
  readonly people = new Map<string, Claims>();
  /** How often somebody came with a code or a refresh token. */
  tokenRequests = 0;
  /** Whether whoever comes with one gets no answer. */
  isHanging = false;
  /** Those who wait for one. */
  readonly waiting = new Set<ServerResponse>();
  readonly #server: Server;

  constructor(server: Server, url: string) {
    this.#server = server;
    this.url = url;
  }

  static async start(redirectUri: string): Promise<TestIssuer> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = new TestIssuer(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const provider = issuer.#provider(redirectUri);
    const answer = provider.callback();
    server.on('request', (request, response) => {
      if (request.url === '/token') issuer.tokenRequests += 1;
      if (request.url === '/token' && issuer.isHanging) {
        issuer.waiting.add(response);
        return void response.on('close', () => issuer.waiting.delete(response));
      }
      if (request.url?.startsWith('/interaction/') !== true) return void answer(request, response);
      void issuer.#agree(provider, request, response);
    });
    return issuer;
  }

  #provider(redirectUri: string): Provider {
    return new Provider(this.url, {
      clients: [
        {
          client_id: this.clientId,
          client_secret: this.clientSecret,
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          response_types: ['code'],
        },
      ],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'groups'] },
      scopes: ['openid', 'offline_access', 'email', 'profile'],
      conformIdTokenClaims: false,
      features: { devInteractions: { enabled: false } },
      interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
      cookies: { keys: ['of this test alone'] },
      pkce: { required: () => true },
      findAccount: (_context, accountId) => {
        const claims = this.people.get(accountId);
        return claims === undefined ? undefined : { accountId, claims: () => ({ sub: accountId, ...claims }) };
      },
    });
  }

  /** The person that the visitor claims to be, with everything that was asked for. */
  async #agree(provider: Provider, ...exchange: Parameters<Provider['interactionDetails']>): Promise<void> {
    const details = await provider.interactionDetails(...exchange);
    const { prompt, params, session } = details;
    if (prompt.name === 'login') {
      const login = { accountId: String(exchange[0].headers['x-visitor']) };
      await provider.interactionFinished(...exchange, { login }, { mergeWithLastSubmission: false });
      return;
    }
    const grant = new provider.Grant({ accountId: session?.accountId ?? '', clientId: String(params.client_id) });
    grant.addOIDCScope(String(params.scope));
    await provider.interactionFinished(...exchange, { consent: { grantId: await grant.save() } });
  }

  /** Signs in there, and returns where the issuer sends the browser back to. */
  async visit(address: string, subject: string): Promise<string> {
    const cookies = new Map<string, string>();
    let url = address;
    for (let hop = 0; hop < 12; hop += 1) {
      if (!url.startsWith(this.url)) return url;
      const Cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response = await fetch(url, { redirect: 'manual', headers: { Cookie, 'X-Visitor': subject } });
      for (const cookie of response.headers.getSetCookie()) {
        const [pair = ''] = cookie.split(';');
        cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
      }
      const location = response.headers.get('location');
      if (location === null) throw new Error(`the issuer answered ${response.status}: ${await response.text()}`);
      url = new URL(location, url).href;
    }
    throw new Error('the issuer sends the browser in circles');
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
