// Invitations by mail, from the administrator's click to the member who joined, and organizations that people found.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Browser } from '../signin/browser.ts';
import { openTown, type Town } from '../signin/people.ts';
import { messageOf, OrgBed, type Person } from './org-bed.ts';

let town: Town;
let bed: OrgBed;

const DAY_MS = 86_400_000;

beforeAll(async () => {
  town = await openTown();
  bed = new OrgBed(town.harness);
});

afterAll(async () => {
  await town.close();
});

type Org = Awaited<ReturnType<OrgBed['organization']>>;

const invite = (org: Org, body: Record<string, unknown>, by: Pick<Person, 'key'> = org.admin) =>
  bed.call(by, 'POST', `/api/orgs/${org.id}/invitations`, body);

const accept = (browser: Browser, token: string) => browser.post('/api/invitations/accept', { token });

const preview = (token: string) => town.harness.request('GET', `/api/invitations/${token}`);

describe('an invitation', () => {
  test('ORG-15 AMB-20 reaches somebody without an account, who signs up and joins with it', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org, { name: 'Core' });
    const email = town.newAddress();
    const sent = await invite(org, { email, role: 'team_admin', teamId, monthlyBudget: 7.5 });
    expect(sent.status).toBe(201);
    const invitation = {
      id: expect.stringMatching(/^inv-/),
      email,
      role: 'team_admin',
      team: { id: teamId, name: 'Core' },
      monthlyBudget: 7.5,
      invitedBy: { id: org.admin.userId, name: 'Person' },
      createdAt: expect.any(String),
      expiresAt: expect.any(String),
      expired: false,
    };
    expect(sent.body).toEqual(invitation);
    const days = (Date.parse(String(sent.body.expiresAt)) - Date.parse(String(sent.body.createdAt))) / DAY_MS;
    expect(days).toBe(7);
    const list = `/api/orgs/${org.id}/invitations`;
    expect((await bed.call(org.admin, 'GET', list)).body).toEqual({ invitations: [invitation] });

    const token = await town.token(email);
    expect((await preview(token)).body).toEqual({
      organization: { name: 'Acme' },
      email,
      role: 'team_admin',
      expiresAt: sent.body.expiresAt,
    });
    const browser = town.browser();
    await browser.post('/api/auth/signup', { email, name: 'New' });
    const confirmed = { token: await town.token(email, 2), password: 'a long enough password' };
    await browser.post('/api/auth/verify-email', confirmed);
    await browser.post('/api/auth/login', { email, password: 'a long enough password' });
    const joined = await accept(browser, token);
    expect(joined.status).toBe(200);
    expect(joined.body).toMatchObject({
      organization: { id: org.id, name: 'Acme' },
      member: { user: { email }, role: 'team_admin', teamId, monthlyBudget: 7.5 },
    });
    expect((await browser.get('/v1/orgs')).body.orgs).toMatchObject([{ id: org.id, role: 'team_admin' }]);
    expect((await bed.call(org.admin, 'GET', list)).body).toEqual({ invitations: [] });
    const actions = (await bed.log(org, `?target=${String(sent.body.id)}`)).map(({ action }) => action);
    expect(actions).toEqual(['org.invitation.accept', 'org.invitation.create']);
  });

  test('ORG-15 the token is in the mail alone: stored as a hash, in no answer and in no entry', async () => {
    const org = await bed.organization();
    const email = town.newAddress();
    const sent = await invite(org, { email });
    const token = await town.token(email);
    const seen = [sent.text, (await bed.call(org.admin, 'GET', `/api/orgs/${org.id}/invitations`)).text];
    seen.push(JSON.stringify(await bed.log(org)), (await preview(token)).text);
    const [row] = await town.rows('select token_hash::text, * from org_invitations where org_id = $1', [org.id]);
    seen.push(JSON.stringify(row));
    for (const text of seen) expect(text).not.toContain(token);
    expect(await town.mail(email)).toContain(`/console/invitation#token=${token}`);
  });

  test('ORG-15 works once, and for two at once only for one', async () => {
    const org = await bed.organization();
    const { browser, address } = await town.operatorUser();
    await invite(org, { email: address });
    const token = await town.token(address);
    const answers = await Promise.all([1, 2, 3].map(() => accept(browser, token)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    expect((await accept(browser, token)).status).toBe(404);
  });

  test('ORG-15 used, withdrawn, expired or invented: the answer is the same', async () => {
    const org = await bed.organization();
    const { browser, address } = await town.operatorUser();
    const tokens: string[] = ['x', 'A'.repeat(43)];

    const first = await invite(org, { email: address });
    tokens.push(await town.token(address));
    const path = `/api/orgs/${org.id}/invitations/${String(first.body.id)}`;
    expect((await bed.call(org.admin, 'DELETE', path)).status).toBe(204);
    expect((await bed.call(org.admin, 'DELETE', path)).status).toBe(404);

    await invite(org, { email: address });
    tokens.push(await town.token(address, 2));
    town.clock.move(7 * DAY_MS);
    // A session ends earlier than an invitation.
    await browser.post('/api/auth/login', { email: address, password: 'a long enough password' });
    const list = await bed.call(org.admin, 'GET', `/api/orgs/${org.id}/invitations`);
    expect(list.body.invitations).toMatchObject([{ expired: true }]);

    const again = await invite(org, { email: address });
    expect(again.status).toBe(201);
    const good = await town.token(address, 3);
    expect((await accept(browser, good)).status).toBe(200);
    tokens.push(good);
    const answers = [];
    for (const token of tokens) answers.push(await accept(browser, token), await preview(token));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers[0]?.status).toBe(404);
  });

  test('ORG-15 is for the invited address alone, and for nobody without a session', async () => {
    const org = await bed.organization();
    const guest = await town.operatorUser();
    const thief = await town.operatorUser();
    await invite(org, { email: ` ${guest.address.replace('person', 'PERSON')}` });
    const token = await town.token(guest.address.replace('person', 'PERSON'));
    expect((await accept(thief.browser, token)).status).toBe(403);
    expect((await town.browser().post('/api/invitations/accept', { token })).status).toBe(401);
    const key = await bed.call(org.admin, 'POST', '/api/invitations/accept', { token });
    expect(key.status).toBe(401);
    expect((await accept(guest.browser, token)).status).toBe(200);
  });

  test('ORG-10 ORG-15 for a member, or a second for the same address, is refused with 409', async () => {
    const org = await bed.organization();
    expect((await invite(org, { email: org.admin.email })).status).toBe(409);
    const email = town.newAddress();
    const answers = await Promise.all([1, 2, 3].map(() => invite(org, { email })));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409]);
    expect((await invite(await bed.organization(), { email })).status).toBe(201);
  });

  test('ORG-15 ends when its person is added directly', async () => {
    const org = await bed.organization();
    const { browser, address } = await town.operatorUser();
    await invite(org, { email: address });
    const token = await town.token(address);
    await bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/members`, { email: address });
    expect((await accept(browser, token)).status).toBe(404);
    expect((await bed.call(org.admin, 'GET', `/api/orgs/${org.id}/invitations`)).body).toEqual({ invitations: [] });
  });

  test('ORG-08 ORG-15 to a team that has gone leads into the organization, without the role of the team', async () => {
    const org = await bed.organization();
    const teamId = await bed.team(org);
    const { browser, address } = await town.operatorUser();
    await invite(org, { email: address, role: 'team_admin', teamId });
    const token = await town.token(address);
    await bed.call(org.admin, 'DELETE', `/v1/orgs/${org.id}/teams/${teamId}`);
    expect((await accept(browser, token)).body).toMatchObject({ member: { role: 'member', teamId: null } });
  });

  test('ORG-03 ORG-15 finds no seat when all are taken, and stays good for later', async () => {
    const org = await bed.organization();
    const { browser, address } = await town.operatorUser();
    await invite(org, { email: address });
    const token = await town.token(address);
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { seats: 1 });
    expect((await accept(browser, token)).status).toBe(409);
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { seats: 2 });
    expect((await accept(browser, token)).status).toBe(200);
  });

  test('ORG-21 of a suspended organization cannot be used', async () => {
    const org = await bed.organization();
    const { browser, address } = await town.operatorUser();
    await invite(org, { email: address });
    const token = await town.token(address);
    await bed.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, { suspended: true });
    expect([(await preview(token)).status, (await accept(browser, token)).status]).toEqual([404, 404]);
  });

  test('ORG-11 ORG-12 ORG-15 ORG-22 with a wrong body is refused by the field’s name', async () => {
    const org = await bed.organization();
    const email = town.newAddress();
    for (const [body, field] of [
      [{}, 'email'],
      [{ email: 'nonsense' }, 'email'],
      [{ email: '"quoted"@example.test' }, 'email'],
      [{ email, role: 'owner' }, 'role'],
      [{ email, role: 'team_admin' }, 'teamId'],
      [{ email, monthlyBudget: -1 }, 'monthlyBudget'],
    ] as [Record<string, unknown>, string][]) {
      const answer = await invite(org, body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(messageOf(answer)).toContain(`${field}:`);
    }
    expect((await invite(org, { email, teamId: 'team-0' })).status).toBe(404);
    expect(await town.mails(email)).toEqual([]);
  });

  test('ORG-15 does not flood a mailbox', async () => {
    const email = town.newAddress();
    const statuses: number[] = [];
    for (let time = 0; time < 6; time += 1) statuses.push((await invite(await bed.organization(), { email })).status);
    expect(statuses).toEqual([201, 201, 201, 201, 201, 201]);
    const mailed = await town.rows('select 1 from mail_outbox where recipient = $1', [email]);
    expect(mailed).toHaveLength(5);
  });
});

describe('a team_admin', () => {
  test('ORG-18 invites members into the own team, unless the organization keeps that to its administrators', async () => {
    const org = await bed.organization();
    const [teamId, otherId] = [await bed.team(org), await bed.team(org)];
    const lead = await bed.member(org, { role: 'team_admin', teamId });
    const [own, other] = [town.newAddress(), town.newAddress()];
    expect((await invite(org, { email: own }, lead)).body).toMatchObject({ role: 'member', team: { id: teamId } });
    expect((await invite(org, { email: other, teamId: otherId }, lead)).status).toBe(403);
    expect((await invite(org, { email: other, role: 'org_admin' }, lead)).status).toBe(403);
    const foreign = await invite(org, { email: other, teamId: otherId });
    const path = `/api/orgs/${org.id}/invitations`;
    expect((await bed.call(lead, 'GET', path)).body.invitations).toMatchObject([{ email: own }]);
    expect((await bed.call(lead, 'DELETE', `${path}/${String(foreign.body.id)}`)).status).toBe(403);
    await bed.call(org.admin, 'PATCH', `/v1/orgs/${org.id}`, { settings: { teamAdminsMayInvite: false } });
    expect((await invite(org, { email: town.newAddress() }, lead)).status).toBe(403);
    const { email } = await bed.person();
    const members = `/v1/orgs/${org.id}/members`;
    expect((await bed.call(lead, 'POST', members, { email })).status).toBe(403);
    // The answer does not tell who has an account.
    expect((await bed.call(lead, 'POST', members, { email: town.newAddress() })).status).toBe(403);
    expect((await bed.call(org.admin, 'POST', members, { email })).status).toBe(201);
  });
});

describe('founding', () => {
  test('ORG-03 ORG-16 a person founds a prepaid organization and administers it, with a session alone', async () => {
    const { browser, userId } = await town.operatorUser();
    const founded = await browser.post('/api/orgs', { name: ' My own ' });
    expect([founded.status, founded.body]).toEqual([201, { id: expect.stringMatching(/^org-/), name: 'My own' }]);
    const { body } = await browser.get(`/v1/orgs/${String(founded.body.id)}`);
    expect(body).toMatchObject({ name: 'My own', billingPlan: 'prepaid', credits: 0, memberCount: 1 });
    const renamed = await browser.request('PATCH', `/v1/orgs/${String(founded.body.id)}`, { name: 'Ours' });
    expect(renamed.body).toMatchObject({ name: 'Ours' });
    const log = await browser.get(`/api/orgs/${String(founded.body.id)}/audit-log`);
    expect(log.body.entries).toMatchObject([
      { action: 'org.settings.update', actor: { kind: 'user', userId, keyId: null } },
      { action: 'org.create', actor: { kind: 'user', userId } },
    ]);
    expect(await town.harness.ledgerCheck()).toMatchObject({ ok: true });
    const person = await bed.person();
    expect((await bed.call(person, 'POST', '/api/orgs', { name: 'X' })).status).toBe(401);
    const wish = await browser.post('/api/orgs', { name: 'X', billingPlan: 'monthly' });
    expect(wish.status, wish.text).toBe(201);
  });

  test('ORG-03 nobody founds more than ten, also not at once', async () => {
    const { browser } = await town.operatorUser();
    const answers = await Promise.all(
      Array.from({ length: 13 }, (_, index) => browser.post('/api/orgs', { name: `Org ${index}` })),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(3);
    expect((await browser.get('/v1/orgs')).body.orgs).toHaveLength(10);
  });
});
