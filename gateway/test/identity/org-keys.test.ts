// Keys of organizations: each role sees and manages its own part of them, and nobody can make a key that has more power
// than they have.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signIn } from '../authorization/sign-in.ts';
import {
  addMember,
  customer,
  newId,
  type Organization,
  organization,
  orgKey,
  PASSWORD,
  type Person,
  person,
  userKey,
} from '../authorization/world.ts';
import { type Answer, type Harness, type Json, startHarness } from '../harness.ts';
import { rows } from './rows.ts';

let harness: Harness;
let ann: Person;
let mia: Person;
let tom: Person;
let bill: Person;
let other: Person;
let acme: Organization;
const secrets: Record<string, string> = {};

beforeAll(async () => {
  harness = await startHarness();
  ann = await customer(harness, 'ann');
  mia = await customer(harness, 'mia');
  [tom, bill, other] = [await person(harness, 'tom'), await person(harness, 'bill'), await person(harness, 'other')];
  acme = await organization(harness, ann, [
    { ...mia, role: 'member' },
    { ...tom, role: 'team_admin' },
  ]);
  await addMember(harness, { orgId: acme.orgId, teamId: null, userId: bill.userId, role: 'billing_viewer' });
  await addMember(harness, { orgId: acme.orgId, teamId: null, userId: other.userId, role: 'member' });
  for (const [name, holder] of Object.entries({ ann, mia, tom, bill, other })) {
    secrets[name] = String((await orgKey(harness, acme.orgId, holder, 'management')).key);
  }
});

afterAll(() => harness.close());

const at = (path = ''): string => `/api/orgs/${acme.orgId}/keys${path}`;
const ask = (who: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  harness.request(method, path, { key: secrets[who] ?? who, ...(body === undefined ? {} : { body }) });
const make = (who: string, body: Json): Promise<Answer> => ask(who, 'POST', at(), { name: 'made', ...body });
const holders = async (who: string, path = at()): Promise<unknown[]> => {
  const answer = await ask(who, 'GET', path);
  return [...new Set((answer.body.keys as Json[]).map(({ userId }) => userId))];
};
const read = async (key: unknown): Promise<number> =>
  (await harness.request('GET', '/v1/key', { key: String(key) })).status;

describe('who sees what', () => {
  test('ORG-16 ORG-17 ORG-18 ORG-19 KEY-04 administrators and billing all, a team’s administrator the team, members their own', async () => {
    const everybody = [ann, mia, tom, bill, other].map(({ userId }) => userId);
    for (const path of [at(), '/v1/keys']) {
      expect((await holders('ann', path)).sort()).toEqual([...everybody].sort());
      expect((await holders('bill', path)).sort()).toEqual([...everybody].sort());
      expect((await holders('tom', path)).sort()).toEqual([mia.userId, tom.userId].sort());
      expect(await holders('mia', path)).toEqual([mia.userId]);
    }
  });

  test('a person’s own keys are not the organization’s, nor the other way round', async () => {
    const own = await userKey(harness, ann, 'management');
    expect((await ask(String(own.key), 'GET', '/v1/keys')).body.keys).toEqual([
      expect.objectContaining({ id: own.id, name: 'matrix' }),
    ]);
    expect((await ask('ann', 'GET', at())).text).not.toContain(String(own.id));
  });
});

describe('who makes what', () => {
  test('ORG-16 an administrator makes keys for any member, who then spends the organization’s money', async () => {
    const made = await make('ann', { userId: other.userId, limit: 5, limit_reset: 'monthly' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ userId: other.userId, teamId: null, spendLimitUsd: 5, keyType: 'standard' });
    const called = await harness.chat(String(made.body.key), { model: 'openai/test' });
    expect(called.status).toBe(200);
    const list = (await ask('ann', 'GET', at())).body.keys as Json[];
    expect(list.find(({ id }) => id === made.body.id)).toMatchObject({ requestCount: 1 });
    expect((await make('ann', {})).body).toMatchObject({ userId: ann.userId });
    expect((await make('ann', { userId: mia.userId, keyType: 'management' })).status).toBe(201);
  });

  test('ERR-07 ORG-04 for somebody who is no member nobody can make one', async () => {
    const stranger = await person(harness, 'stranger');
    for (const userId of [stranger.userId, newId('usr')]) {
      expect((await make('ann', { userId })).status).toBe(404);
      expect((await make('tom', { userId })).status).toBe(404);
    }
  });

  test('ORG-18 a team’s administrator makes the team’s keys, for its members and with no more power than theirs', async () => {
    const made = await make('tom', { userId: mia.userId });
    expect([made.status, made.body.teamId]).toEqual([201, acme.teamId]);
    expect((await make('tom', { keyType: 'management' })).body).toMatchObject({ userId: tom.userId });
    expect((await make('tom', { userId: other.userId })).status).toBe(403);
    expect((await make('tom', { userId: mia.userId, keyType: 'management' })).status).toBe(403);
    expect((await make('tom', { teamId: newId('team') })).status).toBe(400);
    await rows(harness.databaseUrl, 'update org_members set team_id = $2 where user_id = $1', [
      ann.userId,
      acme.teamId,
    ]);
    expect((await make('tom', { userId: ann.userId })).status).toBe(403);
    expect(await holders('tom')).not.toContain(ann.userId);
    await rows(harness.databaseUrl, 'update org_members set team_id = null where user_id = $1', [ann.userId]);
  });

  test('ORG-17 ORG-19 members and billing make none', async () => {
    for (const who of ['mia', 'bill']) {
      expect((await make(who, {})).status).toBe(403);
      expect((await ask(who, 'POST', '/v1/keys', { name: 'a' })).status).toBe(403);
    }
  });

  test('KEY-07 a management key that is bound to an organization makes the organization’s keys', async () => {
    const made = await ask('ann', 'POST', '/v1/keys', { name: 'by key' });
    expect(made.body).toMatchObject({ userId: ann.userId, teamId: null });
    const info = await harness.request('GET', '/v1/key', { key: String(made.body.key) });
    expect(info.body).toMatchObject({ data: { organization_id: acme.orgId } });
  });
});

describe('who changes what', () => {
  test('ORG-18 KEY-15 another team’s key is forbidden, one that is not there is missing', async () => {
    const foreign = await orgKey(harness, acme.orgId, other, 'standard');
    const ofTeam = await orgKey(harness, acme.orgId, mia, 'standard');
    for (const base of [at(), '/v1/keys']) {
      expect((await ask('tom', 'PATCH', `${base}/${foreign.id}`, { enabled: false })).status).toBe(403);
      expect((await ask('tom', 'DELETE', `${base}/${foreign.id}`)).status).toBe(403);
      expect((await ask('tom', 'PATCH', `${base}/${newId('key')}`, { enabled: false })).status).toBe(404);
      expect((await ask('tom', 'PATCH', `${base}/${ofTeam.id}`, { spendLimitUsd: 1 })).status).toBe(200);
      expect((await ask('mia', 'PATCH', `${base}/${ofTeam.id}`, { spendLimitUsd: null })).status).toBe(403);
      expect((await ask('bill', 'DELETE', `${base}/${ofTeam.id}`)).status).toBe(403);
    }
    expect(await read(foreign.key)).toBe(200);
    expect((await ask('tom', 'DELETE', at(`/${ofTeam.id}`))).status).toBe(204);
    expect(await read(ofTeam.key)).toBe(401);
  });

  test('KEY-15 a key manages the account it is bound to and no other, though its holder has both', async () => {
    const manage = await userKey(harness, ann, 'management');
    const own = await userKey(harness, ann, 'standard');
    const orgs = await orgKey(harness, acme.orgId, ann, 'standard');
    for (const [who, id] of [
      [manage.key, orgs.id],
      [secrets.ann, own.id],
    ]) {
      expect((await ask(String(who), 'PATCH', `/v1/keys/${id}`, { enabled: false })).status).toBe(404);
      expect((await ask(String(who), 'DELETE', `/v1/keys/${id}`)).status).toBe(404);
    }
    expect([await read(own.key), await read(orgs.key)]).toEqual([200, 200]);
  });

  test('KEY-08 AUTH-15 a session changes the keys of whatever its owner administers, and no others', async () => {
    const key = await orgKey(harness, acme.orgId, other, 'standard');
    const path = `/v1/keys/${key.id}`;
    const bySession = async (who: Person): Promise<Answer> =>
      harness.request('PATCH', path, { headers: await signIn(harness, who.email, PASSWORD), body: { enabled: false } });
    expect((await bySession(mia)).status).toBe(403);
    const stranger = await customer(harness, 'stranger');
    const foreign = await bySession(stranger);
    expect([foreign.status, foreign.body]).toEqual([
      404,
      { error: { message: 'There is no such key.', type: 'not_found_error', code: 404 } },
    ]);
    expect(await read(key.key)).toBe(200);
    expect((await bySession(ann)).body).toEqual({ updated: true });
    expect(await read(key.key)).toBe(401);
  });

  test('ALOG-05 every change is in the organization’s log, with who made it and without the secret', async () => {
    const made = await make('ann', { userId: mia.userId });
    const id = String(made.body.id);
    await ask('ann', 'PATCH', at(`/${id}`), { enabled: false });
    await harness.operate('DELETE', `/admin/v1/keys/${id}`);
    const entries = await rows<Json>(
      harness.databaseUrl,
      `select action, actor_kind, actor_user_id, before->>'enabled' as before, after->>'enabled' as after,
         (before::text || after::text) as text
       from org_audit_log where target_id = $1 order by position`,
      [id],
    );
    expect(entries).toEqual([
      {
        action: 'org.key.create',
        actor_kind: 'key',
        actor_user_id: ann.userId,
        before: null,
        after: 'true',
        text: null,
      },
      expect.objectContaining({ action: 'org.key.update', actor_kind: 'key', before: 'true', after: 'false' }),
      {
        action: 'org.key.revoke',
        actor_kind: 'operator',
        actor_user_id: null,
        before: 'false',
        after: null,
        text: null,
      },
    ]);
  });

  test('ORG-08 ORG-14 whoever leaves loses the organization’s keys, and a team that goes takes its own with it', async () => {
    const leaver = await person(harness, 'leaver');
    const teamId = newId('team');
    await rows(harness.databaseUrl, 'insert into teams (id, org_id, name) values ($1, $2, $1)', [teamId, acme.orgId]);
    const member = { orgId: acme.orgId, teamId, userId: leaver.userId, role: 'member' };
    const memberId = await addMember(harness, member);
    const [teams, plain] = [
      await make('ann', { userId: leaver.userId, teamId }),
      await make('ann', { userId: leaver.userId }),
    ];
    const own = await userKey(harness, leaver, 'standard');
    const alive = async (): Promise<number[]> =>
      Promise.all([teams.body.key, plain.body.key, own.key].map((key) => read(key)));
    expect(await alive()).toEqual([200, 200, 200]);
    expect((await ask('ann', 'DELETE', `/v1/orgs/${acme.orgId}/teams/${teamId}`)).status).toBe(204);
    expect(await alive()).toEqual([401, 200, 200]);
    expect((await ask('ann', 'DELETE', `/v1/orgs/${acme.orgId}/members/${memberId}`)).status).toBe(204);
    expect(await alive()).toEqual([401, 401, 200]);
  });
});

test('ORG-14 a key that is made while its holder is removed goes too', async () => {
  const leaver = await person(harness, 'leaver');
  const member = { orgId: acme.orgId, teamId: null, userId: leaver.userId, role: 'member' };
  for (let round = 0; round < 10; round += 1) {
    const memberId = await addMember(harness, member);
    const making = Array.from({ length: 6 }, () => make('ann', { userId: leaver.userId }));
    const removed = await ask('ann', 'DELETE', `/v1/orgs/${acme.orgId}/members/${memberId}`);
    expect(removed.status).toBe(204);
    for (const { status } of await Promise.all(making)) expect([201, 404]).toContain(status);
  }
  const kept = 'select id from api_keys where account_id = $1 and user_id = $2 and revoked_at is null';
  expect(await rows(harness.databaseUrl, kept, [acme.orgId, leaver.userId])).toEqual([]);
});

test('GEN-01 a standard key shows the calls of its holder, and no colleague’s', async () => {
  const [mias, others, anns] = [
    await orgKey(harness, acme.orgId, mia, 'standard'),
    await orgKey(harness, acme.orgId, other, 'standard'),
    await orgKey(harness, acme.orgId, ann, 'standard'),
  ];
  const { body } = await harness.chat(String(mias.key), { model: 'openai/test' });
  const readBy = async (key: unknown): Promise<unknown[]> => {
    const { status, text } = await harness.request('GET', `/v1/generation?id=${body.id}`, { key: String(key) });
    return status === 200 ? [200] : [status, text];
  };
  const unknown = await harness.request('GET', '/v1/generation?id=gen-0', { key: String(others.key) });
  for (const { key } of [others, anns]) expect(await readBy(key)).toEqual([404, unknown.text]);
  for (const key of [mias.key, secrets.ann, secrets.bill]) expect(await readBy(key)).toEqual([200]);
});

describe('a person’s keys in the console', () => {
  test('AUTH-15 KEY-04 KEY-05 KEY-08 KEY-11 are listed, made, changed and deleted with the session', async () => {
    const someone = await customer(harness, 'someone');
    const headers = await signIn(harness, someone.email, PASSWORD);
    const bySession = (method: string, path: string, body?: unknown): Promise<Answer> =>
      harness.request(method, `/api/account/keys${path}`, { headers, ...(body === undefined ? {} : { body }) });
    const made = await bySession('POST', '', { name: 'mine', keyType: 'management' });
    expect(made.status).toBe(201);
    expect((await bySession('GET', '')).body.keys).toEqual([expect.objectContaining({ id: made.body.id })]);
    expect((await bySession('PATCH', `/${made.body.id}`, { enabled: false })).body).toEqual({ updated: true });
    expect(await read(made.body.key)).toBe(401);
    expect((await bySession('DELETE', `/${made.body.id}`)).status).toBe(204);
    expect((await bySession('GET', '')).body).toEqual({ keys: [] });
    expect((await bySession('DELETE', `/${made.body.id}`)).status).toBe(404);
    const foreign = await userKey(harness, ann, 'standard');
    expect((await bySession('DELETE', `/${foreign.id}`)).status).toBe(404);
    expect(await read(foreign.key)).toBe(200);
  });
});
