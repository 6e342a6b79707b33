// A session from its first call to its end: what it opens, who pays, and what ends it.

import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { ADMIN_TOKEN, type Answer, type Json } from '../harness.ts';
import { type Campus, type EduBed, newEmail, openEduBed } from './campus.ts';

let bed: EduBed;
let campus: Campus;

beforeAll(async () => {
  bed = await openEduBed();
  campus = await bed.campus();
});

afterEach(async () => {
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0, discrepancies: [] });
});

afterAll(() => bed.close());

const HELLO = [{ role: 'user', content: 'Hello.' }];
const codeOf = ({ body }: Answer): unknown => (body.error as Json | undefined)?.code;
const balance = async ({ orgId }: Campus): Promise<number> =>
  Number((await bed.harness.operate('GET', `/admin/v1/orgs/${orgId}`)).balanceUsd);

describe('what a session opens', () => {
  test('EDU-12 AUTH-08 AMB-35 chat completions, their alias and embeddings', async () => {
    const { token } = await bed.student(campus);
    expect((await bed.chat(token)).status).toBe(200);
    const streamed = await bed.harness.stream(token, { model: 'openai/test' });
    expect([streamed.status, streamed.isDone]).toEqual([200, true]);
    const post = (path: string, body: Json) => bed.harness.request('POST', path, { key: token, body });
    const alias = await post('/v1/cursor/chat/completions', { model: 'openai/test', messages: HELLO });
    expect(alias.status).toBe(200);
    expect((await post('/v1/embeddings', { model: 'acme/embed', input: 'Hello.' })).status).toBe(200);
    expect((await post('/api/v1/chat/completions', { model: 'openai/test', messages: HELLO })).status).toBe(200);
  });

  test('what it has used and what is left of it is told to its own token alone', async () => {
    const { token } = await bed.student(campus);
    const ask = (key: string) => bed.harness.request('GET', '/api/edu/session', { key });
    expect((await ask(token)).body).toMatchObject({ requests: { used: 0 }, tokens: { used: 0 }, usd: { used: 0 } });
    const { body } = await bed.chat(token);
    const { total_tokens: tokens, cost } = body.usage as Readonly<{ total_tokens: number; cost: number }>;
    await expect
      .poll(async () => (await ask(token)).body)
      .toMatchObject({ requests: { used: 1 }, tokens: { used: tokens }, usd: { used: cost } });
    const { key } = await bed.harness.account(1);
    expect((await ask(key)).status).toBe(403);
    expect((await ask('nobody')).status).toBe(401);
  });

  test('EDU-12 everything else is closed to it', async () => {
    const { token } = await bed.student(campus);
    const ask = (method: string, path: string, body?: Json) =>
      bed.harness.request(method, path, { key: token, ...(body === undefined ? {} : { body }) });
    const refused = [
      await ask('POST', '/v1/responses', { model: 'openai/test', input: 'Hello.' }),
      await ask('POST', '/v1/messages', { model: 'openai/test', max_tokens: 16, messages: HELLO }),
      await ask('POST', '/v1/audio/speech', { model: 'openai/test', input: 'Hello.', voice: 'a' }),
      await ask('GET', '/v1/key'),
      await ask('GET', '/v1/credits'),
      await ask('GET', '/v1/usage'),
      await ask('GET', '/v1/keys'),
      await ask('GET', '/v1/orgs'),
      await ask('GET', `/v1/orgs/${campus.orgId}`),
      await ask('GET', `/api/orgs/${campus.orgId}/edu/sessions`),
    ];
    expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 403));
    expect(refused.map(codeOf)).toEqual(refused.map(() => 403));
    const headers = { 'x-api-key': token };
    const messages = { headers, body: { model: 'openai/test', max_tokens: 16, messages: HELLO } };
    expect((await bed.harness.request('POST', '/v1/messages', messages)).status).toBe(403);
    expect((await ask('GET', '/admin/v1/users')).status).toBe(401);
    expect((await ask('GET', '/api/account')).status).toBe(401);
    expect((await ask('GET', '/v1/models')).status).toBe(200);
  });

  test('AUTH-07 KEY-01 the key itself opens nothing, and says what to do', async () => {
    const answer = await bed.chat(campus.key);
    expect([answer.status, codeOf(answer)]).toEqual([403, 403]);
    expect((answer.body.error as Json).message).toContain('exchange the key for a session');
  });

  test('AUTH-08 tokens of nobody are refused like any bad key', async () => {
    const { token } = await bed.student(campus);
    const last = token.endsWith('A') ? 'B' : 'A';
    for (const bad of ['edu-sess-', 'edu-sess-unknown', `${token.slice(0, -1)}${last}`, token.toUpperCase()]) {
      expect((await bed.chat(bad)).status).toBe(401);
    }
  });
});

describe('who pays', () => {
  test('EDU-13 the organization does, to the cent, and the record says which session it was', async () => {
    const own = await bed.campus({}, 10);
    const { token } = await bed.student(own);
    const answer = await bed.chat(token, { model: 'acme/small' });
    const cost = Number((answer.body.usage as Json).cost);
    expect(cost).toBeGreaterThan(0);
    const embedded = await bed.harness.request('POST', '/v1/embeddings', {
      key: token,
      body: { model: 'acme/embed', input: 'Hello.' },
    });
    const total = cost + Number((embedded.body.usage as Json).cost);
    expect(await balance(own)).toBeCloseTo(10 - total, 9);
    const [session] = await bed.sessions(own);
    expect(session).toMatchObject({ status: 'active', usage: { requests: 2 }, key: { id: own.keyId, name: 'course' } });
    expect(((session?.usage ?? {}) as Json).usd).toBeCloseTo(total, 9);
    const records = await bed.town.rows('select account_id, key_id, user_id from generations where account_id = $1', [
      own.orgId,
    ]);
    expect(records).toEqual(
      records.map(() => ({
        account_id: own.orgId,
        key_id: session?.id,
        user_id: expect.stringMatching(/^student-[0-9a-f]{24}$/),
      })),
    );
    const now = new Date(bed.clock.nowMs());
    const month = `year=${now.getUTCFullYear()}&month=${now.getUTCMonth() + 1}`;
    const path = `/api/orgs/${own.orgId}/reports/by-member?${month}`;
    const reports = await bed.harness.request('GET', path, { key: own.adminKey });
    expect(reports.status).toBe(200);
    const named = `Student ${String(session?.id).slice(-4)}, course`;
    const { topKeys } = await bed.harness.operate('GET', '/admin/v1/overview');
    const entry = (topKeys as Json[]).find(({ keyId }) => keyId === session?.id);
    expect(entry).toMatchObject({ name: named, accountId: own.orgId, accountName: expect.any(String) });
    const { calls } = await bed.harness.operate('GET', `/admin/v1/calls?key=${String(session?.id)}`);
    expect(calls).toMatchObject([{ keyName: named }, { keyName: named }]);
    const explained = await bed.harness.operate('GET', `/admin/v1/generations/${String(answer.body.id)}/explain`);
    expect(explained.keyName).toBe(named);
    const record = await bed.harness.request('GET', `/v1/generation?id=${String(answer.body.id)}`, {
      key: own.adminKey,
    });
    expect(record.body.data).toMatchObject({ key_name: named });
  });

  test('EDU-13 an organization without money has no calls to give', async () => {
    const poor = await bed.campus({}, 0.5);
    const { token } = await bed.student(poor);
    const answer = await bed.chat(token, { model: 'acme/dollar' });
    expect([answer.status, codeOf(answer)]).toEqual([402, 'insufficient_credits']);
  });

  test('EDU-13 what stands over the organization stands over its students', async () => {
    const strict = await bed.campus();
    const { token } = await bed.student(strict);
    const patch = (path: string, body: Json) =>
      bed.harness.request('PATCH', `/api/orgs/${strict.orgId}/${path}`, { key: strict.adminKey, body });
    await patch('allowed-models', { allowedModels: ['acme/*'] });
    const disallowed = await bed.chat(token);
    expect([disallowed.status, codeOf(disallowed)]).toEqual([403, 'model_not_allowed']);
    const listed = await bed.harness.request('GET', '/v1/models', { key: token });
    const ids = (listed.body.data as Json[]).map(({ id }) => id);
    expect(ids).toContain('acme/small');
    expect(ids).not.toContain('openai/test');
    expect((await bed.chat(token, { model: 'acme/dollar' })).status).toBe(200);
    await patch('circuit-breaker', { cbEnabled: true, cbHourlyUsd: 1 });
    const tripped = await bed.chat(token, { model: 'acme/dollar' });
    expect(tripped.status).toBe(429);
    expect((tripped.body.error as Json).message).toContain('scope: org');
    await bed.harness.request('PATCH', `/admin/v1/orgs/${strict.orgId}`, {
      key: ADMIN_TOKEN,
      body: { suspended: true },
    });
    expect((await bed.chat(token, { model: 'acme/small' })).status).toBe(403);
  });
});

describe('what ends a session', () => {
  test('EDU-09 AUTH-08 time: sessionTtlSeconds after it was opened', async () => {
    const short = await bed.campus({ sessionTtlSeconds: 600 });
    const { token, email, expiresAt } = await bed.student(short);
    expect(Date.parse(expiresAt) - bed.clock.nowMs()).toBeLessThanOrEqual(600_000);
    // Later settings apply to later sessions.
    await bed.configure(short, { sessionTtlSeconds: 86_400 });
    expect((await bed.chat(token)).status).toBe(200);
    bed.clock.move(600_000);
    expect((await bed.chat(token)).status).toBe(401);
    expect(await bed.sessions(short)).toEqual([]);
    expect(await bed.sessions(short, '?status=expired')).toMatchObject([{ email, status: 'expired' }]);
    const again = await bed.student(short, email);
    expect((await bed.chat(again.token)).status).toBe(200);
  });

  test('EDU-14 AUTH-08 an administrator: at once, and for ever', async () => {
    const own = await bed.campus();
    const [first, second] = [await bed.student(own), await bed.student(own)];
    for (const { token } of [first, second]) expect((await bed.chat(token)).status).toBe(200);
    const session = (await bed.sessions(own)).find(({ email }) => email === first.email);
    expect((await bed.manage(own, 'DELETE', `/sessions/${session?.id}`)).status).toBe(204);
    expect((await bed.chat(first.token)).status).toBe(401);
    expect((await bed.chat(second.token)).status).toBe(200);
    expect((await bed.manage(own, 'DELETE', `/sessions/${session?.id}`)).status).toBe(404);
    expect((await bed.sessions(own)).map(({ email }) => email)).toEqual([second.email]);
    expect(await bed.sessions(own, '?status=revoked')).toMatchObject([
      { email: first.email, revokedAt: expect.any(String) },
    ]);
    expect(await bed.log(own, 'org.edu_session.revoke')).toMatchObject([
      { targetType: 'edu_session', targetId: session?.id, actor: { userId: own.adminUserId } },
    ]);
  });

  test('EDU-14 a revocation that no notice told of counts within half a minute', async () => {
    const { token } = await bed.student(campus);
    expect((await bed.chat(token)).status).toBe(200);
    await bed.town.rows('update edu_sessions set revoked_at = now()');
    const statusNow = async () => (await bed.chat(token)).status;
    // The process has to renew its leases after each jump of the clock, and refuses calls until then.
    bed.clock.pass(10_000);
    await expect.poll(statusNow).toBe(200);
    bed.clock.pass(20_000);
    await expect.poll(statusNow).toBe(401);
    const next = await bed.student(campus);
    await expect.poll(async () => (await bed.chat(next.token)).status).toBe(200);
  });

  test('EDU-15 the end of its key', async () => {
    const own = await bed.campus();
    const { token } = await bed.student(own);
    expect((await bed.chat(token)).status).toBe(200);
    expect((await bed.manage(own, 'DELETE', `/keys/${own.keyId}`)).status).toBe(204);
    expect((await bed.chat(token)).status).toBe(401);
    expect(await bed.sessions(own, '?status=all')).toMatchObject([{ status: 'revoked' }]);
    const email = newEmail();
    expect((await bed.requestCode(own.key, email)).status).toBe(200);
    expect(await bed.town.mails(email)).toEqual([]);
  });

  test('EDU-10 AMB-38 a sixth session of the same mailbox ends the oldest, whatever stands behind the plus sign', async () => {
    const own = await bed.campus();
    const name = `s-${crypto.randomUUID()}`;
    const students = [];
    for (let count = 1; count <= 5; count += 1) students.push(await bed.student(own, `${name}+${count}@uni.example`));
    const other = await bed.student(own);
    for (const { token } of [...students, other]) expect((await bed.chat(token)).status).toBe(200);
    const sixth = await bed.student(own, `${name}@uni.example`);
    const [oldest, ...rest] = students;
    expect((await bed.chat(oldest?.token ?? '')).status).toBe(401);
    for (const { token } of [...rest, sixth, other]) expect((await bed.chat(token)).status).toBe(200);

    await bed.configure(own, { maxSessionsPerEmailPerKey: 1 });
    const only = await bed.student(own, `${name}+x@uni.example`);
    for (const { token } of [...rest, sixth]) expect((await bed.chat(token)).status).toBe(401);
    for (const { token } of [only, other]) expect((await bed.chat(token)).status).toBe(200);
  });

  test('EDU-10 sessions of one mailbox that open at once are no more than allowed', async () => {
    const own = await bed.campus({ maxSessionsPerEmailPerKey: 2 });
    const emails = Array.from({ length: 8 }, (_, index) => `crowd+${index}@uni.example`);
    await Promise.all(emails.map((email) => bed.student(own, email)));
    expect(await bed.sessions(own)).toHaveLength(2);
  });
});
