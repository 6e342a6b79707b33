// What a founder of an institution can do to people who never heard of it: nothing, until the operator has confirmed
// it; and what many institutions together can do to one mailbox.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EduBed, newEmail, openEduBed } from './campus.ts';

let bed: EduBed;

beforeAll(async () => {
  bed = await openEduBed();
});

afterAll(() => bed.close());

const mailsTo = async (email: string): Promise<number> =>
  (await bed.town.rows('select 1 from mail_outbox where recipient = $1', [email])).length;

test('EDU-05 an institution that somebody founded writes to nobody before the operator has confirmed it', async () => {
  const { browser } = await bed.town.operatorUser();
  const orgId = String((await browser.post('/api/orgs', { name: 'Uni' })).body.id);
  const config = `/api/orgs/${orgId}/edu/config`;
  const key = String((await browser.post(`/api/orgs/${orgId}/edu/keys`, { name: 'course' })).body.key);
  expect((await browser.request('PATCH', config, { allowedDomains: ['uni.example'] })).status).toBe(403);
  // Not even where the domains were in the configuration before.
  await bed.town.rows(
    `insert into edu_configs (org_id, allowed_domains, session_ttl_seconds, verification_ttl_seconds, sessions_max)
     values ($1, '{uni.example}', 86400, 900, 5)`,
    [orgId],
  );
  const victim = newEmail();
  expect((await bed.requestCode(key, victim)).status).toBe(200);
  await expect
    .poll(() =>
      bed.town.rows("select after from org_audit_log where org_id = $1 and after::text like '%confirmed%'", [orgId]),
    )
    .toHaveLength(1);
  expect(await mailsTo(victim)).toBe(0);

  await bed.harness.operate('PATCH', `/admin/v1/orgs/${orgId}`, { vouched: true, memberDomains: ['uni.example'] });
  const student = newEmail();
  expect((await bed.requestCode(key, student)).status).toBe(200);
  await expect.poll(() => mailsTo(student)).toBe(1);
});

test('EDU-05 one mailbox gets so many codes in an hour, of however many keys and organizations', async () => {
  const victim = newEmail();
  const campuses = await Promise.all(Array.from({ length: 4 }, () => bed.campus()));
  for (const campus of campuses) {
    const keys = [campus.key];
    for (let index = 0; index < 3; index += 1) {
      keys.push(String((await bed.manage(campus, 'POST', '/keys', { name: `k${index}` })).body.key));
    }
    for (const key of keys) expect((await bed.requestCode(key, victim)).status).toBe(200);
  }
  const refused = () => bed.town.rows("select 1 from org_audit_log where after::text like '%mailbox_full%'");
  await expect.poll(async () => (await refused()).length).toBeGreaterThan(0);
  expect(await mailsTo(victim)).toBe(10);
});

test('EDU-05 keys of an institution are bounded, also when they are revoked and made again', async () => {
  const campus = await bed.campus();
  let status = 0;
  for (let index = 0; index < 101 && status !== 409; index += 1) {
    const made = await bed.manage(campus, 'POST', '/keys', { name: 'k' });
    status = made.status;
    if (made.status === 201) await bed.manage(campus, 'DELETE', `/keys/${String(made.body.id)}`);
  }
  expect(status).toBe(409);
});

test('EDU-05 the name of an institution brings no link into the mail', async () => {
  const campus = await bed.campus();
  await bed.harness.request('PATCH', `/v1/orgs/${campus.orgId}`, {
    key: campus.adminKey,
    body: { name: `Win at https://evil.example.com/now or write to x@evil.example.com ${'long '.repeat(20)}` },
  });
  const email = newEmail();
  await bed.mailedCode(campus.key, email);
  const mail = await bed.town.mail(email);
  expect(mail).not.toMatch(/evil\.example|https?:|@evil/);
});
