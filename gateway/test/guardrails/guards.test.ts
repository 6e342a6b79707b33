// Outside services that an organization has asked about its calls: what they see, what is done with their verdicts, and
// that none of them can delay, or allow, more than the organization has set.

import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { addMember } from '../authorization/world.ts';
import type { Answer, Json } from '../harness.ts';
import { setTrap } from '../outbound/trap.ts';
import { PATIENCE_MS } from '../patience.ts';
import { RECEIVER_HOST, type Receiver, startReceiver } from '../videos/receiver.ts';
import { codeOf, type FilteredOrg, type GuardBed, messageOf, startGuardBed } from './guard-bed.ts';

const PATIENCE = { timeout: PATIENCE_MS, interval: 20 };

let bed: GuardBed;
let service: Receiver;
let rebinding: readonly string[] = ['93.184.216.34'];

beforeAll(async () => {
  // The service's certificate is its own.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
  bed = await startGuardBed({
    env: { TOLLGATE_SSRF_ALLOW: '127.0.0.2/32' },
    start: {
      lookup: async (name) => {
        if (name === RECEIVER_HOST) return ['127.0.0.2'];
        if (name === 'rebinding.example') return rebinding;
        throw new Error('no such name');
      },
    },
  });
});
afterAll(async () => {
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  await bed.harness.close();
});
beforeEach(async () => {
  service = await startReceiver();
});
afterEach(() => service.close());

const answers = (body: unknown): void =>
  service.answerWith((response: ServerResponse) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(body));
  });

async function guarded(guard: Json): Promise<FilteredOrg> {
  const org = await bed.org();
  const path = `/api/orgs/${org.id}/guards`;
  const body = { name: 'Watch', form: 'webhook', url: service.url, stages: ['before'], timeoutMs: 5_000, ...guard };
  const made = await bed.harness.request('POST', path, { key: org.adminKey, body });
  expect(made.status, made.text).toBe(201);
  expect(made.text).not.toContain('token=secret');
  return org;
}

const ask = (org: FilteredOrg, more: Json = {}) =>
  bed.harness.chat(org.key, { model: 'openai/test', messages: [{ role: 'user', content: 'Call Jane Doe.' }], ...more });

const decisions = async (org: FilteredOrg): Promise<readonly Json[]> => {
  const { body } = await bed.harness.request('GET', `/api/orgs/${org.id}/guards`, { key: org.adminKey });
  return body.decisions as Json[];
};

test('our own form: allowed, blocked and redacted before the call, with the decisions on record', async () => {
  const org = await guarded({ apiKey: 'guard-key', action: 'redact' });
  answers({ action: 'allow' });
  expect((await ask(org)).status).toBe(200);
  expect(service.heard[0]?.headers.authorization).toBe('Bearer guard-key');
  expect(service.heard[0]?.body).toEqual({
    stage: 'before',
    model: 'openai/test',
    texts: [{ origin: 'user', text: 'Call Jane Doe.' }],
  });
  answers({ action: 'redact', texts: ['Call somebody.'], reason: 'a name' });
  expect((await ask(org)).status).toBe(200);
  expect(JSON.stringify(bed.harness.simulator.requests.at(-1)?.json)).toContain('Call somebody.');
  answers({ action: 'block', reason: 'not today' });
  const before = bed.upstreamCalls;
  const refused = await ask(org);
  expect([refused.status, codeOf(refused)]).toEqual([403, 'content_filter']);
  expect(messageOf(refused)).toContain('"Watch" of your organization (not today)');
  expect(bed.upstreamCalls).toBe(before);
  await expect
    .poll(async () => (await decisions(org)).map(({ outcome }) => outcome))
    .toEqual(['blocked', 'redacted', 'allowed']);
});

test('beside and after the call an answer waits for the verdict, whole and streamed, and is paid for', async () => {
  const org = await guarded({ stages: ['beside', 'after'] });
  answers({ action: 'allow' });
  expect((await ask(org)).status).toBe(200);
  expect(service.heard.map(({ body }) => body.stage)).toEqual(['beside', 'after']);
  const streamed = await bed.harness.stream(org.key, { model: 'openai/test' });
  expect([streamed.isDone, streamed.frames.length > 1]).toEqual([true, true]);
  const spent = await bed.harness.spent(org.key);
  answers({ action: 'block' });
  expect((await ask(org)).status).toBe(403);
  const withheld = await bed.harness.stream(org.key, { model: 'openai/test' });
  expect(withheld.text).toContain('The answer was withheld.');
  expect(withheld.frames.some(({ choices }) => JSON.stringify(choices ?? '').includes('"content":"'))).toBe(false);
  expect(await bed.harness.spent(org.key)).toBeGreaterThan(spent);
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

/** What stands on the record of the newest call. */
async function reviewsOf(answer: Answer, key: string): Promise<unknown> {
  const id = String(answer.body.id ?? answer.headers.get('x-generation-id'));
  const read = () => bed.harness.request('GET', `/v1/generation?id=${id}`, { key });
  await expect.poll(async () => ((await read()).body.data as Json | undefined)?.in_progress).toBe(false);
  return ((await read()).body.data as Json).reviews;
}

test('what filters and guards decided stands on the record of the call, and nothing on that of others', async () => {
  const org = await guarded({ action: 'redact', stages: ['before', 'after'] });
  await bed.rule(org, { name: 'Names', type: 'keyword', pattern: 'Jane', action: 'flag' });
  answers({ action: 'redact', texts: ['Call somebody.'], reason: 'a name' });
  const by = (outcome: string, of = 'input', reason: string | null = 'a name') => ({
    ...{ by: 'guard', name: 'Watch', of, outcome, reason },
  });
  const flagged = { by: 'filter', name: 'Names', of: 'input', outcome: 'flagged', reason: null };
  const whole = await ask(org);
  expect(await reviewsOf(whole, org.adminKey)).toEqual([flagged, by('redacted'), by('redacted', 'output')]);
  expect(await reviewsOf(whole, org.key)).toEqual([by('redacted'), by('redacted', 'output')]);
  answers({ nonsense: true });
  const { body: changed } = await bed.harness.request('GET', `/api/orgs/${org.id}/guards`, { key: org.adminKey });
  const [{ id: guardId } = {}] = changed.guards as Json[];
  const path = `/api/orgs/${org.id}/guards/${String(guardId)}`;
  await bed.harness.request('PATCH', path, { key: org.adminKey, body: { stages: ['after'] } });
  await expect
    .poll(async () => {
      const refused = await ask(org);
      expect(refused.status).toBe(403);
      return refused.headers.has('x-generation-id') ? reviewsOf(refused, org.adminKey) : null;
    })
    .toEqual([flagged, expect.objectContaining({ by: 'guard', of: 'output', outcome: 'no_verdict' })]);
  const { key } = await bed.harness.account(1);
  expect(await reviewsOf(await bed.harness.chat(key, { model: 'openai/test' }), key)).toEqual([]);
});

test('the forms of Presidio, Lakera and the moderations endpoint', async () => {
  const presidio = await guarded({ form: 'presidio', action: 'redact' });
  answers([{ entity_type: 'PERSON', start: 5, end: 13, score: 0.85 }]);
  expect((await ask(presidio)).status).toBe(200);
  expect(service.heard.at(-1)?.body).toMatchObject({ text: 'Call Jane Doe.', language: 'en' });
  expect(JSON.stringify(bed.harness.simulator.requests.at(-1)?.json)).toContain('Call [REDACTED].');
  const lakera = await guarded({ form: 'lakera' });
  answers({ flagged: true });
  expect((await ask(lakera)).status).toBe(403);
  expect(service.heard.at(-1)?.body).toEqual({ messages: [{ role: 'user', content: 'Call Jane Doe.' }] });
  const moderations = await guarded({ form: 'moderations' });
  answers({ results: [{ flagged: true, categories: { violence: true, hate: false } }] });
  expect(messageOf(await ask(moderations))).toContain('(violence)');
});

/** The management key of a member who sees what everybody spends, and is no administrator. */
async function viewerOf(org: FilteredOrg): Promise<string> {
  const { userId } = await bed.harness.account(0);
  await addMember(bed.harness, { orgId: org.id, teamId: null, userId, role: 'billing_viewer' });
  const body = { name: 'reports', keyType: 'management', userId };
  return String((await bed.harness.operate('POST', `/admin/v1/orgs/${org.id}/keys`, body)).key);
}

test('a guard that flags is silent: administrators read of it, other members see no difference', async () => {
  const org = await guarded({ form: 'lakera', action: 'flag' });
  const viewer = await viewerOf(org);
  for (const [flagged, outcome] of [
    [true, 'flagged'],
    [false, 'allowed'],
  ] as const) {
    answers({ flagged });
    const answer = await ask(org);
    expect(answer.status).toBe(200);
    expect(await reviewsOf(answer, org.adminKey)).toMatchObject([{ by: 'guard', outcome }]);
    expect(await reviewsOf(answer, org.key)).toEqual([]);
    expect(await reviewsOf(answer, viewer)).toEqual([]);
    const explained = await bed.harness.operate('GET', `/admin/v1/generations/${String(answer.body.id)}/explain`);
    expect(explained.reviews).toMatchObject([{ outcome }]);
  }
});

test('a guard that fails, hangs or talks nonsense opens or closes as the organization has said', async () => {
  const closed = await guarded({});
  const open = await guarded({ onFailure: 'allow', timeoutMs: 200 });
  service.answerWith((response) => response.writeHead(500).end());
  const refused = await ask(closed);
  expect([refused.status, messageOf(refused).includes('no verdict')]).toEqual([403, true]);
  expect((await ask(open)).status).toBe(200);
  answers({ action: 'maybe' });
  expect([(await ask(closed)).status, (await ask(open)).status]).toEqual([403, 200]);
  service.answerWith(() => undefined);
  expect((await ask(open)).status).toBe(200);
  await expect
    .poll(async () => (await decisions(open)).map(({ reason }) => reason))
    .toEqual(['timeout', 'unreadable', 'status 500']);
});

test('while a guard thinks, no call waits that it is not asked about', async () => {
  const watched = await guarded({ stages: ['beside'], timeoutMs: 10_000 });
  const other = await bed.org();
  service.answerWith(() => undefined);
  let isAnswered = false;
  const waiting = ask(watched).finally(() => {
    isAnswered = true;
  });
  await expect.poll(() => service.heard.length).toBe(1);
  expect((await ask(other)).status).toBe(200);
  expect(isAnswered).toBe(false);
  expect((await waiting).status).toBe(403);
});

test('BILL-08 a client that leaves while a guard thinks costs nothing and is not sent on, kept or not', async () => {
  const org = await guarded({ stages: ['before'], timeoutMs: 10_000 });
  let spent = 0;
  for (const headers of [{}, { 'X-Tollgate-Cache': 'ttl=60' }] as readonly Record<string, string>[]) {
    const heard = service.heard.length;
    const before = bed.upstreamCalls;
    let verdict = (): void => {};
    service.answerWith((response: ServerResponse) => {
      verdict = () => response.setHeader('content-type', 'application/json').end(JSON.stringify({ action: 'allow' }));
    });
    const leaving = new AbortController();
    const left = fetch(`${bed.harness.url}/v1/chat/completions`, {
      method: 'POST',
      signal: leaving.signal,
      headers: { Authorization: `Bearer ${org.key}`, 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify({ model: 'openai/test', messages: [{ role: 'user', content: 'Call Jane Doe.' }] }),
    });
    await vi.waitFor(() => expect(service.heard.length).toBe(heard + 1), PATIENCE);
    leaving.abort();
    await expect(left).rejects.toThrow();
    // The gateway has heard of it when it answers what was sent after it over a connection of its own.
    expect((await bed.harness.request('GET', '/healthz', {})).status).toBe(200);
    verdict();
    answers({ action: 'allow' });
    // A later call of the same organization is the only one that was sent and charged.
    const { body } = await ask(org);
    spent += Number((body.usage as Json).cost);
    expect(bed.upstreamCalls).toBe(before + 1);
    expect(await bed.harness.spent(org.key)).toBeCloseTo(spent, 12);
  }
  expect(await bed.harness.ledgerCheck()).toMatchObject({ ok: true, heldReservations: 0 });
});

test('SSRF-1 guards are asked at public addresses alone, and there are few of them', async () => {
  const org = await bed.org();
  const path = `/api/orgs/${org.id}/guards`;
  const make = (url: string) =>
    bed.harness.request('POST', path, {
      key: org.adminKey,
      body: { name: 'x', form: 'webhook', url, stages: ['before'] },
    });
  for (const url of ['http://hooks.example/', 'https://127.0.0.1/', 'https://169.254.169.254/', 'https://localhost/']) {
    expect([url, (await make(url)).status]).toEqual([url, 400]);
  }
  for (let made = 0; made < 5; made += 1) expect((await make(service.url)).status).toBe(201);
  expect((await make(service.url)).status).toBe(409);
  expect((await bed.log(org, 'org.guard.create')).length).toBe(5);
});

test('SSRF-2 a guard whose name leads here by the time it is asked is not, in any form', async () => {
  const trap = await setTrap();
  for (const form of ['webhook', 'presidio', 'lakera', 'moderations']) {
    rebinding = ['93.184.216.34'];
    const org = await guarded({ form, url: `https://rebinding.example:${trap.port}/`, apiKey: 'k' });
    rebinding = ['127.0.0.1'];
    expect([form, (await ask(org)).status]).toEqual([form, 403]);
  }
  expect(trap.hits()).toBe(0);
  await trap.close();
});
