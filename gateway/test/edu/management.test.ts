// What an administrator sets for students: keys, the configuration, and the list of sessions.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Json } from '../harness.ts';
import { type Campus, type EduBed, openEduBed, tally } from './campus.ts';

let bed: EduBed;
let campus: Campus;

beforeAll(async () => {
  bed = await openEduBed();
  campus = await bed.campus();
});

afterAll(() => bed.close());

const DEFAULTS = {
  allowedDomains: [],
  sessionTtlSeconds: 86_400,
  verificationTtlSeconds: 900,
  maxSessionsPerEmailPerKey: 5,
  maxRequests: null,
  maxTokens: null,
  maxUsd: null,
};

test('EDU-15 keys are made once, shown by their ends, and deleted', async () => {
  const created = await bed.manage(campus, 'POST', '/keys', { name: ' Physics ' });
  expect(created.status).toBe(201);
  const { key, ...shown } = created.body;
  expect(shown).toEqual({
    id: expect.stringMatching(/^edukey-[0-9a-f]{24}$/),
    name: 'Physics',
    prefix: String(key).slice(0, 11),
    suffix: String(key).slice(-4),
    createdAt: expect.any(String),
  });
  expect(String(key)).toMatch(/^sk-edu-/);
  const { body } = await bed.manage(campus, 'GET', '/keys');
  expect(body.keys).toContainEqual(shown);
  expect(JSON.stringify(body)).not.toContain(key);
  expect((await bed.manage(campus, 'DELETE', `/keys/${shown.id}`)).status).toBe(204);
  expect((await bed.manage(campus, 'DELETE', `/keys/${shown.id}`)).status).toBe(404);
  expect((await bed.manage(campus, 'GET', '/keys')).body.keys).not.toContainEqual(shown);
  const logged = [...(await bed.log(campus, 'org.edu_key.create')), ...(await bed.log(campus, 'org.edu_key.delete'))];
  expect(logged.filter(({ targetId }) => targetId === shown.id)).toHaveLength(2);
  expect(JSON.stringify(logged)).not.toContain(String(key));
});

test('EDU-15 a change of the configuration keeps what it does not name, and is in the log', async () => {
  const own = await bed.campus({ allowedDomains: [] });
  expect((await bed.manage(own, 'GET', '/config')).body).toEqual(DEFAULTS);
  const changed = await bed.configure(own, {
    allowedDomains: ['Uni.EXAMPLE', 'münchen.example', 'uni.example'],
    maxUsd: 0.5,
    maxRequests: 100,
  });
  const expected = {
    ...DEFAULTS,
    allowedDomains: ['uni.example', 'xn--mnchen-3ya.example'],
    maxUsd: 0.5,
    maxRequests: 100,
  };
  expect(changed).toEqual(expected);
  expect(await bed.configure(own, { maxRequests: null, sessionTtlSeconds: 60 })).toEqual({
    ...expected,
    maxRequests: null,
    sessionTtlSeconds: 60,
  });
  // What changes nothing is no change.
  await bed.configure(own, {});
  const entries = await bed.log(own, 'org.edu_config.update');
  expect(entries).toHaveLength(2);
  expect(entries[0]).toMatchObject({
    before: { maxRequests: 100 },
    after: { maxRequests: null, sessionTtlSeconds: 60 },
  });
});

test.each([
  [{ allowedDomains: 'uni.example' }, 400, 'allowedDomains'],
  [{ allowedDomains: ['*.uni.example'] }, 400, 'allowedDomains.0'],
  [{ allowedDomains: ['uni.example', '@uni.example'] }, 400, 'allowedDomains.1'],
  [{ allowedDomains: Array(101).fill('uni.example') }, 400, 'allowedDomains'],
  [{ sessionTtlSeconds: 0 }, 400, 'sessionTtlSeconds'],
  [{ sessionTtlSeconds: 1.5 }, 400, 'sessionTtlSeconds'],
  [{ sessionTtlSeconds: null }, 400, 'sessionTtlSeconds'],
  [{ verificationTtlSeconds: -1 }, 400, 'verificationTtlSeconds'],
  [{ maxSessionsPerEmailPerKey: 0 }, 400, 'maxSessionsPerEmailPerKey'],
  [{ maxRequests: 0 }, 400, 'maxRequests'],
  [{ maxTokens: '5' }, 400, 'maxTokens'],
  [{ maxUsd: 0 }, 400, 'maxUsd'],
  [{ maxUsd: -1 }, 400, 'maxUsd'],
  [{ maxUsd: 0.00000000001 }, 400, 'maxUsd'],
])('EDU-15 %j is refused by name and changes nothing', async (body, code, field) => {
  const before = (await bed.manage(campus, 'GET', '/config')).body;
  const answer = await bed.manage(campus, 'PATCH', '/config', body);
  expect(answer.status).toBe(400);
  expect((answer.body.error as Json).code).toBe(code);
  expect(String((answer.body.error as Json).message).startsWith(`${field}:`)).toBe(true);
  expect((await bed.manage(campus, 'GET', '/config')).body).toEqual(before);
});

test.each([[{}], [{ name: '' }], [{ name: 7 }]])('EDU-15 a key of %j is refused', async (body) => {
  expect((await bed.manage(campus, 'POST', '/keys', body)).status).toBe(400);
});

test('EDU-14 the list of sessions has pages, and finds a student by mailbox', async () => {
  const own = await bed.campus();
  const emails = ['one', 'two', 'two+tag'].map((name) => `${name}@uni.example`);
  for (const email of emails) await bed.student(own, email);
  const { body: page } = await bed.manage(own, 'GET', '/sessions?limit=2');
  const emailsOf = (answer: Json) => (answer.sessions as Json[]).map(({ email }) => email);
  expect(emailsOf(page)).toEqual(['two+tag@uni.example', 'two@uni.example']);
  const { body: rest } = await bed.manage(own, 'GET', `/sessions?limit=2&cursor=${page.nextCursor}`);
  expect([emailsOf(rest), rest.nextCursor]).toEqual([['one@uni.example'], null]);
  expect(await bed.sessions(own, '?email=Two@uni.example')).toHaveLength(2);
  expect((await bed.manage(own, 'GET', '/sessions?status=gone')).status).toBe(400);
  expect((await bed.manage(own, 'GET', '/sessions?email=nonsense')).status).toBe(400);
  expect((await bed.manage(own, 'GET', '/sessions?order=email')).status).toBe(200);
});

test('EDU-15 a hundred keys are enough for an organization', async () => {
  const own = await bed.campus();
  await bed.town.rows(
    `insert into edu_keys (id, org_id, hash, name, prefix, suffix, created_at)
     select 'edukey-' || $1 || number, $1, sha256(($1 || number)::bytea), 'key', '', '', now()
     from generate_series(1, 98) number`,
    [own.orgId],
  );
  const made = await Promise.all(
    Array.from({ length: 4 }, (_, index) => bed.manage(own, 'POST', '/keys', { name: `key ${index}` })),
  );
  expect(tally(made)).toEqual({ 201: 1, 409: 3 });
});
