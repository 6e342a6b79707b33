// Nobody is enrolled unasked: a stranger's organization can only ask a person once, and the person can look at any
// organization that concerns them and leave it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTown, type Town } from '../signin/people.ts';
import { messageOf, OrgBed, type Person } from './org-bed.ts';

let town: Town;
let bed: OrgBed;

beforeAll(async () => {
  town = await openTown();
  bed = new OrgBed(town.harness);
});

afterAll(async () => {
  await town.close();
});

test('whoever makes a key in the name of a member does not reach the member’s own breaker with it', async () => {
  const org = await bed.organization();
  const member = await bed.member(org);
  const make = async (userId: string): Promise<string> =>
    String((await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/keys`, { name: 'made', userId })).body.key);
  const path = '/v1/account/circuit-breaker';
  const framed = { key: await make(member.userId) };
  expect((await bed.call(framed, 'GET', path)).status).toBe(403);
  expect((await bed.call(framed, 'PATCH', path, { cbMinuteUsd: 0.01 })).status).toBe(403);
  const given = { key: await bed.orgKey(org.id, member.userId) };
  expect((await bed.call(given, 'GET', path)).body.settings).toMatchObject({ cbMinuteUsd: null });
  const own = { key: await make(org.admin.userId) };
  expect((await bed.call(own, 'PATCH', path, { cbMinuteUsd: 5 })).status).toBe(200);
});

/** An organization that somebody founded without asking anybody. */
async function founded(): Promise<{ id: string; admin: Person }> {
  const { browser, address, userId } = await town.operatorUser();
  const { body } = await browser.post('/api/orgs', { name: 'Acme' });
  const made = await town.harness.operate('POST', `/admin/v1/users/${userId}/keys`, {
    name: 'own',
    keyType: 'management',
  });
  return { id: String(body.id), admin: { userId, email: address, key: String(made.key) } };
}

const add = (org: { id: string; admin: Person }, body: Record<string, unknown>) =>
  bed.call(org.admin, 'POST', `/v1/orgs/${org.id}/members`, body);

const mailsTo = async (address: string): Promise<number> =>
  (await town.rows('select 1 from mail_outbox where lower(recipient) = lower($1)', [address])).length;

describe('an organization that somebody founded', () => {
  test('ORG-10 ORG-15 invites: with and without an account the answer is one, and nobody belongs to it yet', async () => {
    const org = await founded();
    const known = await town.operatorUser();
    const unknown = town.newAddress();
    const answers = [await add(org, { email: known.address }), await add(org, { email: unknown })];
    const shapes = answers.map(({ status, body }) => {
      const { id, email, createdAt, expiresAt, ...rest } = body;
      return { status, rest, kinds: [typeof id, typeof email, typeof createdAt, typeof expiresAt] };
    });
    expect(shapes[0]).toEqual(shapes[1]);
    expect(answers[0]?.status).toBe(202);
    expect((await known.browser.get('/v1/orgs')).body.orgs).toEqual([]);
    const { body } = await bed.call(org.admin, 'GET', `/v1/orgs/${org.id}/members`);
    expect(body.members).toHaveLength(1);
  });

  test('KEY-01 makes no key in the name of somebody who was only invited', async () => {
    const org = await founded();
    const { address, userId } = await town.operatorUser();
    await add(org, { email: address });
    const path = `/api/orgs/${org.id}/keys`;
    const answer = await bed.call(org.admin, 'POST', path, { name: 'framed', userId });
    expect(answer.status).toBe(404);
  });

  test('is told who has an account by no route, however it asks', async () => {
    const org = await founded();
    const { address } = await town.operatorUser();
    const texts = async (email: string): Promise<string> => {
      const invited = await bed.call(org.admin, 'POST', `/api/orgs/${org.id}/invitations`, { email });
      const added = await add(org, { email });
      const entries = await bed.call(org.admin, 'GET', `/api/orgs/${org.id}/invitations`);
      const found = (entries.body.invitations as { email: string }[]).find((each) => each.email === email);
      return [invited.status, added.status, messageOf(added), Object.keys(found ?? {})].join(' ');
    };
    expect(await texts(address)).toBe(await texts(town.newAddress()));
  });

  test('reaches a mailbox with one mail in a week, with however many others; the rest waits in the console', async () => {
    const { address, browser } = await town.operatorUser();
    const before = await mailsTo(address);
    const orgs = await Promise.all([founded(), founded(), founded(), founded()]);
    const answers = await Promise.all(orgs.map((org) => add(org, { email: address })));
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
    expect((await mailsTo(address)) - before).toBe(1);
    const { body } = await browser.get('/api/account/held');
    expect(body.invitations).toHaveLength(4);
    const [first, second] = body.invitations as { id: string }[];
    expect((await browser.post('/api/invitations/accept', { id: first?.id })).status).toBe(200);
    expect((await browser.post('/api/invitations/decline', { id: second?.id })).status).toBe(204);
    expect((await browser.post('/api/invitations/accept', { id: second?.id })).status).toBe(404);
    const thief = await town.operatorUser();
    const third = (body.invitations as { id: string }[])[2];
    expect((await thief.browser.post('/api/invitations/accept', { id: third?.id })).status).toBe(404);
    expect((await browser.get('/api/account/held')).body.invitations).toHaveLength(2);
    expect((await browser.get('/v1/orgs')).body.orgs).toHaveLength(1);
  });

  test('reaches a mailbox no more often for spelling its address in many ways', async () => {
    const address = town.newAddress();
    const org = await founded();
    const spellings = [address, ...[1, 2, 3, 4, 5].map((tag) => address.replace('@', `+${tag}@`))];
    for (const email of spellings) expect((await add(org, { email })).status).toBe(202);
    const mails = await town.rows('select 1 from mail_outbox where recipient = any ($1)', [spellings]);
    expect(mails).toHaveLength(1);
  });

  test('is listed behind those that the operator knows, however early it asked', async () => {
    const { address, browser } = await town.operatorUser();
    await add(await founded(), { email: address });
    const known = await bed.organization();
    const path = `/api/orgs/${known.id}/invitations`;
    const { body: sent } = await bed.call(known.admin, 'POST', path, { email: address });
    const { body } = await browser.get('/api/account/held');
    expect(body.invitations).toHaveLength(2);
    expect((body.invitations as { id: string }[])[0]?.id).toBe(sent.id);
  });

  test('adds directly once the operator vouches for it, within the domains that the operator names', async () => {
    const org = await founded();
    const { address } = await town.operatorUser();
    const set = (body: Record<string, unknown>) => town.harness.operate('PATCH', `/admin/v1/orgs/${org.id}`, body);
    expect(await set({ vouched: true, memberDomains: ['elsewhere.test'] })).toMatchObject({ vouched: true });
    expect((await add(org, { email: address })).status).toBe(202);
    await set({ memberDomains: [address.slice(address.indexOf('@') + 1)] });
    expect((await add(org, { email: address })).status).toBe(201);
  });
});

describe('an organization that the operator opened', () => {
  test('ORG-10 ORG-15 adds directly, and trying addresses is slowed down like signing in', async () => {
    const org = await bed.organization();
    const person = await bed.person();
    expect((await add(org, { email: person.email })).status).toBe(201);
    const statuses: number[] = [];
    for (let index = 0; index < 32; index += 1) statuses.push((await add(org, { email: town.newAddress() })).status);
    expect(statuses.slice(0, 30).every((status) => status === 404)).toBe(true);
    expect(statuses.at(-1)).toBe(429);
  });
});

describe('a member', () => {
  test('sees what is held in their name, and leaves; the keys go along', async () => {
    const org = await bed.organization();
    const { browser, address, userId } = await town.operatorUser();
    await add(org, { email: address });
    const key = await bed.orgKey(org.id, userId);
    const held = await browser.get('/api/account/held');
    expect(held.body.organizations).toMatchObject([{ id: org.id, role: 'member', keys: [{ name: 'org' }] }]);
    expect((await browser.post(`/api/orgs/${org.id}/leave`, {})).status).toBe(204);
    expect((await browser.post(`/api/orgs/${org.id}/leave`, {})).status).toBe(404);
    expect((await browser.get('/api/account/held')).body.organizations).toEqual([]);
    expect((await town.harness.request('GET', '/v1/key', { key })).status).toBe(401);
    const [entry] = await bed.log(org);
    expect(entry).toMatchObject({ action: 'org_member.leave', actor: { userId } });
  });

  test('ORG-14 who is the last administrator stays', async () => {
    const { browser } = await town.operatorUser();
    const { body } = await browser.post('/api/orgs', { name: 'Mine' });
    expect((await browser.post(`/api/orgs/${String(body.id)}/leave`, {})).status).toBe(400);
  });
});
