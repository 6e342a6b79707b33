// Single sign-on against a real issuer: who gets in and with which role, who does not, and when they are signed out
// again.

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { setTrap } from '../outbound/trap.ts';
import type { Browser } from './browser.ts';
import { openParts, openTown, PASSWORD, type Town } from './people.ts';
import {
  begin,
  configure,
  hire,
  locationOf,
  makeOrganization,
  type Organization,
  startHostileIssuer,
} from './sign-on-bed.ts';

const records = new Map<string, string>();
let town: Town;
let acme: Organization;
let globex: Organization;

beforeAll(async () => {
  const resolveTxt = async (name: string): Promise<string[][]> => {
    const value = records.get(name);
    if (value === undefined) throw new Error('no such record');
    return [['v=spf1 -all'], [value.slice(0, 20), value.slice(20)]];
  };
  town = await openTown({ env: { TOLLGATE_SSRF_ALLOW: '127.0.0.0/8' }, start: { resolveTxt } });
  acme = await makeOrganization(town, records, 'acme.example');
  globex = await makeOrganization(town, records, 'globex.example');
});

afterAll(async () => {
  await acme?.issuer.close();
  await globex?.issuer.close();
  await town.close();
});

const own = (url: string): string => url.replace(town.harness.url, '');

/** From the address that was typed to the page that the browser ends at. */
async function signOn({ issuer, domain }: Organization, subject: string, browser = town.browser()) {
  const begun = await begin(browser, `somebody@${domain}`);
  const back = await issuer.visit(locationOf(begun), subject);
  const page = await browser.get(own(back));
  return { browser, back, end: own(locationOf(page)) };
}

const roleIn = async ({ orgId }: Organization, email: string): Promise<unknown> =>
  (
    await town.rows(
      'select m.role from org_members m join users u on u.id = m.user_id where m.org_id = $1 and u.email = $2',
      [orgId, email],
    )
  )[0]?.role;

test('somebody new comes in, as a member, and whoever has the claim as an administrator', async () => {
  const plain = hire(acme);
  const { browser, end } = await signOn(acme, plain.subject);
  expect(end).toBe('/console/');
  expect((await browser.get('/api/auth/session')).body).toMatchObject({
    user: { email: plain.email },
    organizations: [{ id: acme.orgId, role: 'member' }],
  });
  const engineer = hire(acme, { groups: ['sales', 'engineers'] });
  const signedOn = await signOn(acme, engineer.subject);
  expect((await signedOn.browser.get(`/v1/orgs/${acme.orgId}`)).status).toBe(200);
  // The claim is gone at the next sign-in; what no rule mentions stays.
  acme.issuer.people.set(plain.subject, { email: plain.email, email_verified: true, groups: 'engineers' });
  await signOn(acme, plain.subject);
  expect(await roleIn(acme, plain.email)).toBe('org_admin');
});

test('a claim decides on the team, and no claim leads into a team of another organization', async () => {
  const newTeam = async ({ admin, orgId }: Organization): Promise<string> =>
    String((await admin.post(`/v1/orgs/${orgId}/teams`, { name: 'Blue' })).body.id);
  const [teamId, foreignId] = [await newTeam(acme), await newTeam(globex)];
  const rule = (value: string, team: string): Json => ({ claim: 'groups', value, teamId: team });
  await configure(acme, { teams: [rule('blue', teamId), rule('foreign', foreignId)] });
  const teamOf = async (email: string): Promise<unknown> =>
    (
      await town.rows('select m.team_id from org_members m join users u on u.id = m.user_id where u.email = $1', [
        email,
      ])
    )[0]?.team_id;
  const blue = hire(acme, { groups: ['blue'] });
  await signOn(acme, blue.subject);
  expect(await teamOf(blue.email)).toBe(teamId);
  const none = hire(acme);
  await signOn(acme, none.subject);
  expect(await teamOf(none.email)).toBeNull();
  const foreign = hire(acme, { groups: ['foreign'] });
  await signOn(acme, foreign.subject);
  expect(await teamOf(foreign.email)).not.toBe(foreignId);
  await configure(acme);
});

test('the page that was wanted is one of this site, or the first one', async () => {
  const { subject, email } = hire(acme);
  for (const [wish, end] of [
    ['/console/keys', '/console/keys'],
    ['//evil.example', '/console/'],
    ['https://evil.example', '/console/'],
    ['/\\evil.example', '/console/'],
  ] as const) {
    const browser = town.browser();
    const back = await acme.issuer.visit(locationOf(await begin(browser, email, wish)), subject);
    expect(own(locationOf(await browser.get(own(back))))).toBe(end);
  }
});

describe('nobody comes in', () => {
  test('with an address that is not verified, unless the organization trusts what does not say so', async () => {
    const denied = hire(acme, { email_verified: false });
    const silent = hire(acme, { email_verified: undefined });
    for (const { subject } of [denied, silent]) {
      expect((await signOn(acme, subject)).end).toBe('/console/sign-in?error=unverified');
    }
    await configure(acme, { trustsEmail: true });
    expect((await signOn(acme, denied.subject)).end).toBe('/console/sign-in?error=unverified');
    expect((await signOn(acme, silent.subject)).end).toBe('/console/');
    await configure(acme);
  });

  test('with an address outside the domains, whoever has it', async () => {
    const victim = await town.operatorUser();
    for (const email of [victim.address, 'somebody@globex.example', 'x@sub.acme.example', 'x@acme.example.evil.test']) {
      const { subject } = hire(acme, { email });
      expect((await signOn(acme, subject)).end).toBe('/console/sign-in?error=unverified');
    }
    expect(await town.rows('select 1 from external_logins where user_id = $1', [victim.userId])).toEqual([]);
  });

  test('with another browser, a code that was used, or an answer to another question', async () => {
    const { subject, email } = hire(acme);
    const { browser, back } = await signOn(acme, subject);
    // The link of somebody else's sign-in.
    expect(own(locationOf(await town.browser().get(own(back))))).toBe('/console/sign-in?error=expired');
    // The same one again, with and without the memory of a sign-in of its own.
    expect(own(locationOf(await browser.get(own(back))))).toBe('/console/sign-in?error=expired');
    await begin(browser, email);
    expect(own(locationOf(await browser.get(own(back))))).toBe('/console/sign-in?error=failed');
    // A new code of the attacker's, in the browser of a victim who has just begun: state and nonce differ.
    const attacker = hire(acme);
    const attackers = town.browser();
    const fresh = await acme.issuer.visit(locationOf(await begin(attackers, email)), attacker.subject);
    const victim = town.browser();
    const state = new URL(locationOf(await begin(victim, email))).searchParams.get('state') ?? '';
    expect(own(locationOf(await victim.get(own(fresh))))).toBe('/console/sign-in?error=failed');
    // And with the right state: the code was issued for another verifier and nonce.
    const forced = new URL(fresh);
    forced.searchParams.set('state', state);
    await begin(victim, email);
    expect(own(locationOf(await victim.get(own(forced.href))))).toBe('/console/sign-in?error=failed');
    expect(victim.cookieNames).not.toContain('tollgate_session');
  });

  test('with a token for another nonce or none, or an answer without its state, although the verifier is right', async () => {
    const { subject, email } = hire(acme);
    const browser = town.browser();
    const asked = new URL(locationOf(await begin(browser, email)));
    expect(asked.searchParams.get('nonce')).toMatch(/^[\w-]{20,}$/);
    asked.searchParams.set('nonce', 'of-somebody-else');
    const back = await acme.issuer.visit(asked.href, subject);
    expect(own(locationOf(await browser.get(own(back))))).toBe('/console/sign-in?error=failed');
    // A token that was issued without a nonce could be used anywhere.
    const unbound = new URL(locationOf(await begin(browser, email)));
    unbound.searchParams.delete('nonce');
    const unasked = await acme.issuer.visit(unbound.href, subject);
    expect(own(locationOf(await browser.get(own(unasked))))).toBe('/console/sign-in?error=failed');
    const stateless = new URL(await acme.issuer.visit(locationOf(await begin(browser, email)), subject));
    stateless.searchParams.delete('state');
    expect(own(locationOf(await browser.get(own(stateless.href))))).toBe('/console/sign-in?error=failed');
    expect(browser.cookieNames).not.toContain('tollgate_session');
  });

  test('with the answer of another organization’s issuer, whose code is shown to nobody', async () => {
    const { subject } = hire(globex, { email: 'boss@acme.example' });
    const browser = town.browser();
    const before = [acme, globex].map(({ issuer }) => issuer.tokenRequests);
    for (const hasName of [true, false]) {
      const begun = await begin(browser, 'x@acme.example');
      const wrong = locationOf(begun).replace(acme.issuer.url, globex.issuer.url).replace(acme.orgId, globex.orgId);
      // As if both had the same redirect address.
      const back = new URL((await globex.issuer.visit(wrong, subject)).replace(globex.orgId, acme.orgId));
      expect(back.searchParams.get('iss')).toBe(globex.issuer.url);
      if (!hasName) back.searchParams.delete('iss');
      expect(own(locationOf(await browser.get(own(back.href))))).toBe('/console/sign-in?error=failed');
    }
    expect([acme, globex].map(({ issuer }) => issuer.tokenRequests)).toEqual(before);
  });

  test('with the code of an honest issuer that a hostile one sent the browser to, and the hostile one never sees it', async () => {
    // The attacker administers acme, whose issuer says that it does not name itself in answers; globex's does not
    // either.
    const hostile = await startHostileIssuer();
    expect((await configure(acme, { issuer: hostile.url })).status).toBe(200);
    const victim = { ...hire(globex), browser: town.browser() };
    const attackers = new URL(locationOf(await begin(town.browser(), 'x@globex.example')));
    const asked = new URL(locationOf(await begin(victim.browser, 'x@acme.example')));
    const places = [attackers, asked].map(({ searchParams }) => searchParams.get('redirect_uri') ?? '');
    const answered: string[] = [];
    for (const redirectTo of places) {
      // The question of the attacker's own sign-in, with the state that the victim's browser will be asked for.
      attackers.searchParams.set('state', asked.searchParams.get('state') ?? '');
      attackers.searchParams.set('redirect_uri', redirectTo);
      const back = await globex.issuer.visit(attackers.href, victim.subject).catch(() => null);
      if (back === null) continue;
      const unnamed = new URL(back);
      unnamed.searchParams.delete('iss');
      expect(unnamed.searchParams.get('code')).toMatch(/./);
      answered.push(own(locationOf(await victim.browser.get(own(unnamed.href)))));
    }
    await configure(acme);
    await hostile.close();
    // The honest issuer redirects browsers only to its own address.
    expect(answered).toEqual(['/console/sign-in?error=failed']);
    expect(hostile.heard).toEqual([]);
  });

  test('where no organization has proven the domain', async () => {
    expect(own(locationOf(await begin(town.browser(), 'x@nowhere.example')))).toBe('/console/sign-in?error=unknown');
    expect(own(locationOf(await begin(town.browser(), 'no address')))).toBe('/console/sign-in?error=unknown');
  });

  test('who is suspended here', async () => {
    const { subject, email } = hire(acme);
    const { browser } = await signOn(acme, subject);
    const { body } = await browser.get('/api/auth/session');
    await town.harness.operate('PATCH', `/admin/v1/users/${String((body.user as Json).id)}`, { suspended: true });
    expect((await signOn(acme, subject)).end).toBe('/console/sign-in?error=suspended');
    expect(email).toContain('@');
  });
});

test('whom the organization’s directory has deactivated does not come back, although the issuer knows them', async () => {
  const { subject, email } = hire(acme);
  await signOn(acme, subject);
  const made = await acme.admin.post(`/api/orgs/${acme.orgId}/provisioning/tokens`, { name: 'Directory' });
  const scim = async (method: string, path: string, body: Json): Promise<Json> =>
    (await town.harness.request(method, `/scim/v2${path}`, { key: String(made.body.token), body })).body;
  const { id } = await scim('POST', '/Users', { userName: email });
  const setActive = (value: boolean): Promise<Json> =>
    scim('PATCH', `/Users/${String(id)}`, { Operations: [{ op: 'replace', path: 'active', value }] });
  await setActive(false);
  expect((await signOn(acme, subject)).end).toBe('/console/sign-in?error=suspended');
  expect(await roleIn(acme, email)).toBeUndefined();
  await setActive(true);
  expect((await signOn(acme, subject)).end).toBe('/console/');
  await acme.admin.request('DELETE', `/api/orgs/${acme.orgId}/provisioning/tokens/${String(made.body.id)}`);
});

test('a second factor that the person has set up here is asked for all the same', async () => {
  const { subject } = hire(acme);
  const first = await signOn(acme, subject);
  expect((await first.browser.post('/api/auth/factors/totp', {})).status).toBe(200);
  await town.rows('update totp_secrets set confirmed_at = now()');
  const again = await signOn(acme, subject);
  expect(again.end).toBe('/console/second-factor?next=%2F');
  expect(again.browser.cookieNames).not.toContain('tollgate_session');
});

test('where it is required, a password does not open the organization’s pages', async () => {
  const { subject, email } = hire(globex, { groups: ['engineers'] });
  const { browser } = await signOn(globex, subject);
  await configure(globex, { required: true });
  expect((await browser.get(`/v1/orgs/${globex.orgId}`)).status).toBe(200);
  const refused = await globex.admin.get(`/v1/orgs/${globex.orgId}`);
  expect([refused.status, String((refused.body.error as Json).message)]).toEqual([
    403,
    expect.stringContaining('single sign-on'),
  ]);
  const made = await globex.admin.post('/api/account/keys', { name: 'own', keyType: 'management' });
  const withKey = await town.harness.request('GET', `/v1/orgs/${globex.orgId}`, { key: String(made.body.key) });
  expect(withKey.status).toBe(403);
  // A lost issuer does not lock an organization out for ever: the operator removes it, and its sessions end.
  expect((await town.harness.operate('DELETE', `/admin/v1/orgs/${globex.orgId}/sign-on`)) ?? {}).toEqual({});
  expect((await browser.get('/api/auth/session')).status).toBe(401);
  expect((await globex.admin.get(`/v1/orgs/${globex.orgId}`)).status).toBe(200);
  expect(email).toContain('globex');
  await configure(globex);
});

test('whoever leaves the issuer is signed out, and an issuer that is away signs out nobody', async () => {
  const parts = await openParts(town);
  const [stays, leaves] = [hire(acme), hire(acme)];
  const [staying, leaving] = [await signOn(acme, stays.subject), await signOn(acme, leaves.subject)];
  acme.issuer.people.delete(leaves.subject);
  const isIn = async ({ browser }: { browser: Browser }): Promise<boolean> =>
    (await browser.get('/api/auth/session')).status === 200;
  await parts.signOn.checkDue();
  expect([await isIn(staying), await isIn(leaving)]).toEqual([true, true]);
  town.clock.move(601_000);
  expect([await isIn(staying), await isIn(leaving)]).toEqual([true, true]);
  await parts.signOn.checkDue();
  // Whoever asks too often is refused as well, with another status.
  await expect.poll(async () => (await leaving.browser.get('/api/auth/session')).status).toBe(401);
  expect(await isIn(staying)).toBe(true);
  // Twice, because a refresh token is used once.
  town.clock.move(601_000);
  await isIn(staying);
  await parts.signOn.checkDue();
  expect(await isIn(staying)).toBe(true);
  const kept = JSON.stringify(await town.rows('select refresh_token from sessions where refresh_token is not null'));
  expect(kept).toContain('sealed:');
  await parts.close();
});

describe('the settings', () => {
  test('an issuer inside the network, or none at all, is refused and says nothing of what is there', async () => {
    for (const issuer of [
      'http://169.254.169.254/latest',
      'http://10.0.0.1',
      'http://127.0.0.1:1',
      'ftp://x',
      'nothing',
    ]) {
      const answer = await configure(acme, { issuer });
      expect(answer.status, issuer).toBe(400);
      expect(answer.text).toContain('issuer: ');
      expect(answer.text).not.toMatch(/ECONN|169|127/);
    }
  });

  test('an issuer whose own addresses lead inside is believed in nothing, and none of them is dialled', async () => {
    const trap = await setTrap();
    let inside = '';
    const server = createServer((_request, response) => {
      const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const names = ['token_endpoint', 'jwks_uri', 'userinfo_endpoint', 'introspection_endpoint'];
      const led = Object.fromEntries(names.map((name) => [name, `http://${inside}:${trap.port}/${name}`]));
      const document = { issuer, authorization_endpoint: `${issuer}/auth`, response_types_supported: ['code'], ...led };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(document));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const come = async (host: string): Promise<number> => {
      inside = host;
      expect((await configure(acme, { issuer, clientId: host })).status).toBe(200);
      const browser = town.browser();
      const state = new URL(locationOf(await begin(browser, 'x@acme.example'))).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ code: 'anything', state });
      const end = locationOf(await browser.get(`/api/auth/sso/callback/${acme.orgId}?${query}`));
      expect(own(end)).toBe('/console/sign-in?error=failed');
      return trap.hits();
    };
    expect([await come('0.0.0.0'), await come('[::1]')]).toEqual([0, 0]);
    // The trap hears whoever is let through.
    expect(await come('127.0.0.1')).toBe(1);
    await configure(acme);
    server.close();
    await trap.close();
  });

  test('the secret is sealed, is never shown, and goes to no other issuer', async () => {
    const { body } = await acme.admin.get(`/api/orgs/${acme.orgId}/sign-on`);
    expect(JSON.stringify(body)).not.toContain(acme.issuer.clientSecret);
    expect((body.signOn as Json).issuer).toBe(acme.issuer.url);
    const moved = await configure(acme, { issuer: globex.issuer.url, clientSecret: undefined });
    expect(moved.status).toBe(400);
    const dump = JSON.stringify(await town.rows('select * from org_sign_on'));
    expect(dump).not.toContain(acme.issuer.clientSecret);
    expect((await configure(acme, { clientSecret: undefined })).status).toBe(200);
  });

  test('they need a proven domain, which belongs to one organization', async () => {
    const { browser } = await town.operatorUser();
    const orgId = String((await browser.post('/api/orgs', { name: 'Impostor' })).body.id);
    const early = await configure({ ...acme, orgId, admin: browser });
    expect(early.status).toBe(409);
    await browser.post(`/api/orgs/${orgId}/domains`, { domain: acme.domain });
    expect((await browser.post(`/api/orgs/${orgId}/domains/${acme.domain}/check`)).status).toBe(409);
    // Even with the record: another organization has the domain.
    const { body } = await browser.get(`/api/orgs/${orgId}/domains`);
    const [{ recordName, recordValue } = {}] = body.domains as Json[];
    records.set(String(recordName), String(recordValue));
    expect((await browser.post(`/api/orgs/${orgId}/domains/${acme.domain}/check`)).status).toBe(409);
    expect((await browser.post(`/api/orgs/${orgId}/domains/other.example/check`)).status).toBe(404);
    for (const domain of ['localhost', 'a b.example', 'http://x.example', '*.example.com', 'x..example']) {
      expect((await browser.post(`/api/orgs/${orgId}/domains`, { domain })).status, domain).toBe(400);
    }
    expect(PASSWORD.length).toBeGreaterThan(0);
  });

  test('changes are in the organization’s log, without the secret', async () => {
    const { body } = await acme.admin.get(`/api/orgs/${acme.orgId}/audit-log`);
    const actions = JSON.stringify(body);
    expect(actions).toContain('org.sign_on.update');
    expect(actions).toContain('org.domain.confirm');
    expect(actions).not.toContain(acme.issuer.clientSecret);
  });
});
