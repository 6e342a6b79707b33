// An organization with an issuer of its own, the people whom it knows, and the way of a browser to it.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'vitest';
import type { Json } from '../harness.ts';
import type { Browser, Page } from './browser.ts';
import { type Claims, TestIssuer } from './issuer.ts';
import type { Town } from './people.ts';

export type Organization = Readonly<{ orgId: string; domain: string; admin: Browser; issuer: TestIssuer }>;

/** With a proven domain and an issuer; engineers administer it. The records are those of the domains. */
export async function makeOrganization(
  town: Town,
  records: Map<string, string>,
  domain: string,
): Promise<Organization> {
  const { browser: admin } = await town.operatorUser();
  const orgId = String((await admin.post('/api/orgs', { name: domain })).body.id);
  const issuer = await TestIssuer.start(`${town.harness.url}/api/auth/sso/callback/${orgId}`);
  const claimed = await admin.post(`/api/orgs/${orgId}/domains`, { domain: domain.toUpperCase() });
  expect(claimed.status, claimed.text).toBe(201);
  records.set(String(claimed.body.recordName), String(claimed.body.recordValue));
  const checked = await admin.post(`/api/orgs/${orgId}/domains/${domain}/check`);
  expect(checked.status, checked.text).toBe(200);
  const made = { orgId, domain, admin, issuer };
  const put = await configure(made);
  expect(put.status, put.text).toBe(200);
  return made;
}

export function configure({ orgId, admin, issuer }: Organization, changes: Json = {}): Promise<Page> {
  return admin.request('PUT', `/api/orgs/${orgId}/sign-on`, {
    issuer: issuer.url,
    clientId: issuer.clientId,
    clientSecret: issuer.clientSecret,
    roles: [{ claim: 'groups', value: 'engineers', role: 'org_admin' }],
    ...changes,
  });
}

let people = 0;

export function hire(
  { issuer, domain }: Organization,
  claims: Claims = {},
): Readonly<{ subject: string; email: string }> {
  people += 1;
  const subject = `subject-${people}`;
  const email = `person${people}@${domain}`;
  issuer.people.set(subject, { email, email_verified: true, name: `Person ${people}`, ...claims });
  return { subject, email };
}

export const begin = (browser: Browser, email: string, returnTo = ''): Promise<Page> =>
  browser.get(`/api/auth/sso?email=${encodeURIComponent(email)}&returnTo=${encodeURIComponent(returnTo)}`);

export const locationOf = ({ headers }: Page): string => headers.get('location') ?? '';

/** A false issuer that does not name itself in answers, and keeps every code it is sent. */
export async function startHostileIssuer() {
  const heard: string[] = [];
  const server = createServer((request, response) => {
    const ends = { authorization_endpoint: `${url}/auth`, token_endpoint: `${url}/token`, jwks_uri: `${url}/keys` };
    request.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ issuer: url, response_types_supported: ['code'], ...ends }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, heard, close: () => new Promise((resolve) => server.close(resolve)) };
}
